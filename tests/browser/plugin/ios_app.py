#!/usr/bin/python3
"""An app as those of iOS: WebKit, with pages of `capacitor://localhost`, driven as MiniBrowser is: `ios_app.py URL`.

What a page asks of its origin is asked of that server, as an app's bridge does; nothing else is reached. System Python
runs this: the bindings of WebKitGTK belong to it.
"""

import sys
import threading
import urllib.error
import urllib.request

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
gi.require_version("Soup", "3.0")
from gi.repository import Gio, GLib, Gtk, Soup, WebKit2  # noqa: E402

SCHEME = "capacitor"
ORIGIN = f"{SCHEME}://localhost"
NOWHERE = "http://127.0.0.1:9"
KEPT = ("content-type", "content-security-policy", "cache-control", "x-status", "x-headers")


def main() -> None:
    context = WebKit2.WebContext.get_default()
    context.register_uri_scheme(SCHEME, bridge, sys.argv[1])
    context.get_security_manager().register_uri_scheme_as_secure(SCHEME)
    context.get_security_manager().register_uri_scheme_as_cors_enabled(SCHEME)
    proxy = WebKit2.NetworkProxySettings.new(NOWHERE, None)
    context.get_website_data_manager().set_network_proxy_settings(WebKit2.NetworkProxyMode.CUSTOM, proxy)
    context.set_automation_allowed(True)
    context.connect("automation-started", started)
    Gtk.main()


def started(context: WebKit2.WebContext, session: WebKit2.AutomationSession) -> None:
    application = WebKit2.ApplicationInfo()
    application.set_name("phone")
    session.set_application_info(application)
    session.connect("create-web-view", lambda _: view_in(context))


def view_in(context: WebKit2.WebContext) -> WebKit2.WebView:
    view = WebKit2.WebView(web_context=context, is_controlled_by_automation=True)
    window = Gtk.Window()
    window.set_default_size(360, 740)
    window.add(view)
    window.show_all()
    return view


def bridge(request: WebKit2.URISchemeRequest, server: str) -> None:
    """Pass a request on; the answer comes from another thread, so that a slow file holds nothing else up."""
    method, body = request.get_http_method(), body_of(request)
    address = server + request.get_uri().removeprefix(ORIGIN)
    threading.Thread(target=answer, args=(request, address, method, body), daemon=True).start()


def body_of(request: WebKit2.URISchemeRequest) -> bytes | None:
    stream = request.get_http_body()
    pieces = []
    while stream and (piece := stream.read_bytes(1 << 20, None).get_data()):
        pieces.append(piece)
    return b"".join(pieces) if stream else None


def answer(request: WebKit2.URISchemeRequest, address: str, method: str, body: bytes | None) -> None:
    asked = urllib.request.Request(address, (body or b"") if method == "POST" else None, method=method)
    try:
        with urllib.request.urlopen(asked, timeout=120) as reply:
            status, data, headers = reply.status, reply.read(), reply.headers
    except urllib.error.HTTPError as error:
        status, data, headers = error.code, error.read(), error.headers
    except OSError as error:
        GLib.idle_add(request.finish_error, GLib.Error(str(error)))
        return
    GLib.idle_add(finish, request, status, data, {name: headers[name] for name in KEPT if headers[name]})


def finish(request: WebKit2.URISchemeRequest, status: int, data: bytes, headers: dict[str, str]) -> None:
    told = Soup.MessageHeaders.new(Soup.MessageHeadersType.RESPONSE)
    for name, value in headers.items():
        told.append(name, value)
    stream = Gio.MemoryInputStream.new_from_bytes(GLib.Bytes.new(data))
    response = WebKit2.URISchemeResponse.new(stream, len(data))
    response.set_status(status, None)
    response.set_content_type(headers.get("content-type", "application/octet-stream"))
    response.set_http_headers(told)
    request.finish_with_response(response)


main()
