"""An HTTPS server that answers reviews as a test says."""
import http.server
import json
import ssl
import time

from webhook import TOP, Authority, InThread

REVIEW = TOP / "examples/lammps.review.json"
UID = json.loads(REVIEW.read_text())["request"]["uid"]


def answer(uid=UID, **response):
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "response": {"uid": uid, "allowed": True, **response}}


class Answering(InThread):
    """An HTTPS server that sends `answers`, one after another and then the last one again; (status, text)
    each, after `delay` seconds."""

    def __init__(self, folder, *answers, client_ca=None, not_after=None, delay=0):
        self.delay = delay
        self.authority = Authority(folder)
        self.ca = self.authority.cert
        self.requests = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.authority.issue("leaf", "DNS:hook.example.svc", not_after))
        if client_ca:
            context.load_verify_locations(client_ca)
            context.verify_mode = ssl.CERT_REQUIRED
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler(answers))
        self.http.daemon_threads = True
        self.http.handle_error = lambda *_: None  # a client that breaks off a handshake is no news
        self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self.http.server_address[1]}"

    def handler(self, answers):
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                server.requests.append((self.path, self.headers["Content-Type"], json.loads(body)))
                time.sleep(server.delay)
                status, text = answers[min(len(server.requests), len(answers)) - 1]
                if status is None:  # the connection ends instead
                    self.close_connection = True
                    return
                self.send_response(status)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass
        return Handler
