"""Servers of files on this machine, which count what they send and fail as they are told."""
import contextlib
import http.server
import re
import threading


class Files:
    """Serves the files of a folder by HTTP. `sent` are the bytes of bodies, `asked` the ranges that were asked for.

    `ranges`: whether parts of files are served. `break_after`: the bytes after which connections are closed.
    `secret`: what the header Authorization must be.
    """

    def __init__(self, folder):
        self.folder, self.sent, self.asked = folder, 0, []
        self.ranges, self.break_after, self.secret = True, None, None

    def forget(self):
        self.sent, self.asked = 0, []


def _handler(files):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_arguments):
            pass

        def do_HEAD(self):
            self.answer(with_body=False)

        def do_GET(self):
            self.answer(with_body=True)

        def answer(self, with_body):
            path = files.folder / self.path.partition("?")[0].lstrip("/")
            if files.secret is not None and self.headers.get("Authorization") != files.secret:
                return self.send_error(401)
            if not path.is_file():
                return self.send_error(404)
            contents = path.read_bytes()
            part = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")) if files.ranges else None
            first = int(part[1]) if part else 0
            end = min(int(part[2]) + 1, len(contents)) if part and part[2] else len(contents)
            self.send_response(206 if part else 200)
            if files.ranges:
                self.send_header("Accept-Ranges", "bytes")
            if part:
                self.send_header("Content-Range", f"bytes {first}-{end - 1}/{len(contents)}")
            self.send_header("Content-Length", str(end - first))
            self.end_headers()
            if not with_body:
                return None
            files.asked.append((first, end))
            body = contents[first:end][:files.break_after]
            files.sent += len(body)
            self.close_connection = len(body) < end - first
            with contextlib.suppress(ConnectionError):
                self.wfile.write(body)
            return None

    return Handler


@contextlib.contextmanager
def _running(server):
    """Serves in a thread; gives the address."""
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def serving(folder):
    """The `Files` of a folder, with their `address`."""
    files = Files(folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(files))
    server.daemon_threads = True
    with _running(server) as files.address:
        yield files


class Counted:
    """A WSGI application whose bodies are counted."""

    def __init__(self, application):
        self._application, self.sent = application, 0

    def __call__(self, environment, start):
        for piece in self._application(environment, start):
            self.sent += len(piece)
            yield piece


@contextlib.contextmanager
def serving_s3():
    """Moto's S3, as `Counted` with its `address`."""
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server
    application = Counted(DomainDispatcherApplication(create_backend_app))
    with _running(make_server("127.0.0.1", 0, application, threaded=True)) as application.address:
        yield application
