-- For wrk: posts the recorded review of examples/lammps.yaml.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = assert(io.open("examples/lammps.review.json", "rb")):read("*a")
