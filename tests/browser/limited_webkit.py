#!/usr/bin/python3
"""A window of WebKit with a limit of memory, driven as MiniBrowser is: `limited_webkit.py MEGABYTES`.

WebKit itself watches the web process, asks it to give memory back, and kills it at the limit. System Python runs this:
the bindings of WebKitGTK belong to it.
"""

import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2  # noqa: E402

POLL_S = 0.3


def main() -> None:
    settings = WebKit2.MemoryPressureSettings.new()
    settings.set_memory_limit(int(sys.argv[1]))
    settings.set_kill_threshold(1.0)
    settings.set_poll_interval(POLL_S)
    context = WebKit2.WebContext(memory_pressure_settings=settings)
    context.set_automation_allowed(True)
    context.connect("automation-started", started)
    Gtk.main()


def started(context: WebKit2.WebContext, session: WebKit2.AutomationSession) -> None:
    application = WebKit2.ApplicationInfo()
    application.set_name("limited")
    session.set_application_info(application)
    session.connect("create-web-view", lambda _: view_in(context))


def view_in(context: WebKit2.WebContext) -> WebKit2.WebView:
    view = WebKit2.WebView(web_context=context, is_controlled_by_automation=True)
    window = Gtk.Window()
    window.set_default_size(1000, 800)
    window.add(view)
    window.show_all()
    return view


main()
