#!/usr/bin/env python3
"""Opens a report in headless Chromium: report_browser_test.py SAMPLE_REPORT. Exit status 77: no Chromium.

A frame around the page measures it in three widths. The page must show its figures, must not scroll
sideways, must write nothing to the console and must be one request. A damaged page must fail each check.
"""
import html
import http.server
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading

WIDTHS = (360, 820, 1400)
FRAME = """<!doctype html><title>frame</title><pre id="result"></pre>
<iframe id="f" style="width:WIDTHpx;height:900px;border:0" src="PAGE"></iframe>
<script>
document.getElementById("f").addEventListener("load", (event) => {
  const page = event.target.contentDocument;
  const shown = [...page.querySelectorAll("figure svg")].filter((svg) => svg.getBoundingClientRect().width > 0);
  document.getElementById("result").textContent = JSON.stringify({
    titles: shown.map((svg) => svg.querySelector("title").textContent),
    overflow: page.documentElement.scrollWidth - page.documentElement.clientWidth,
    wide: shown.filter((svg) => svg.getBoundingClientRect().right > page.documentElement.clientWidth + 1).length,
    ran: "broken" in page.defaultView,
  });
});
</script>"""
FAULTS = ('<img src="extra.png" alt=""><div style="width:3000px">wide</div>'
          '<script>window.broken = true</script>')


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, pages):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages, self.asked = pages, []


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, width = self.path.partition("?")
        self.server.asked.append(path)
        page = self.server.pages.get(path)
        if path.startswith("/frame/"):
            page = FRAME.replace("WIDTH", width).replace("PAGE", path[len("/frame"):])
        self.send_response(200 if page else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write((page or "").encode())

    def log_message(self, *_):
        pass


def open_page(browser, server, page, width):
    """What the frame measured, the console's lines and the requests beside the frame's."""
    server.asked.clear()
    with tempfile.TemporaryDirectory() as profile:
        run = subprocess.run(
            [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--enable-logging=stderr", "--hide-scrollbars", f"--user-data-dir={profile}",
             "--window-size=1500,1000", "--virtual-time-budget=4000", "--dump-dom",
             f"http://127.0.0.1:{server.server_port}/frame/{page}?{width}"],
            capture_output=True, text=True, timeout=120)
    result = re.search(r'<pre id="result">(.*?)</pre>', run.stdout, re.S)
    assert result and result[1], f"nothing measured; status {run.returncode}\n{run.stderr[-2000:]}"
    console = [line for line in run.stderr.splitlines() if "CONSOLE" in line]
    asked = [path for path in server.asked if not path.startswith("/frame/") and path != "/favicon.ico"]
    return json.loads(html.unescape(result[1])), console, asked


def check_sound(browser, server, titles):
    for width in WIDTHS:
        measured, console, asked = open_page(browser, server, "full.html", width)
        assert measured["titles"] == titles, f"{width}: {measured['titles']}"
        assert measured["overflow"] <= 0 and measured["wide"] == 0, f"{width}: {measured}"
        assert not console, console
        assert asked == ["/full.html"], asked
    measured, console, asked = open_page(browser, server, "hostile.html", 360)
    assert measured["overflow"] <= 0 and not measured["ran"], measured
    assert not console and asked == ["/hostile.html"], (console, asked)


def check_damaged(browser, server):
    """With the policy a foreign image and script are stopped and leave lines; without it they load and run."""
    measured, console, asked = open_page(browser, server, "damaged.html", 820)
    assert measured["overflow"] > 0 and not measured["ran"], measured
    assert console and asked == ["/damaged.html"], (console, asked)
    measured, _, asked = open_page(browser, server, "unprotected.html", 820)
    assert measured["ran"] and "/extra.png" in asked, (measured, asked)


def main():
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("skipped: no chromium")
        sys.exit(77)
    pages = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, extra in (("full", []), ("hostile", ["hostile"])):
            subprocess.run([sys.argv[1], f"{folder}/{name}.html"] + extra, check=True)
            with open(f"{folder}/{name}.html", encoding="utf-8") as file:
                pages[f"/{name}.html"] = file.read()
    pages["/damaged.html"] = pages["/full.html"].replace("</main>", FAULTS + "</main>")
    pages["/unprotected.html"] = pages["/damaged.html"].replace("Content-Security-Policy", "none")
    titles = [html.unescape(t) for t in re.findall(r"<figure>\s*<h3[^>]*>(.*?)</h3>", pages["/full.html"])]
    assert len(titles) == 6, titles
    server = Server(pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    check_sound(browser, server, titles)
    check_damaged(browser, server)


main()
