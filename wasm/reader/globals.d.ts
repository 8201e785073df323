/** Of okf-edge, set when the reader is built. */
declare const __VERSION__: string;
/** What the service worker keeps: the page itself, by address relative to it. */
declare const __SHELL__: string[];
/** Changes whenever anything of the shell does. */
declare const __SHELL_DIGEST__: string;
