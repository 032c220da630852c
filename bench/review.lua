-- For wrk: posts the review in the file $REVIEW (that of examples/lammps.yaml without it); $CLOSE makes each request a
-- connection of its own. At the end one line of JSON, times in microseconds.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
if os.getenv("CLOSE") then wrk.headers["Connection"] = "close" end
wrk.body = assert(io.open(os.getenv("REVIEW") or "examples/lammps.review.json", "rb")):read("*a")

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests": %d, "duration": %d, "p50": %d, "p99": %d, "p999": %d, "most": %d, "not_200": %d, "socket_errors": %d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency:percentile(99.9),
    latency.max, errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
