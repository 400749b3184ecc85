/** Served as a file of its own: the pages allow no style inside of them. */
export const pageStyle = `:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d5dbe3; --paper: #ffffff; --ground: #f3f5f8; --accent: #2456c8; --on-accent: #ffffff; --bad: #b42318; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ecf2; --soft: #9aa5b4; --line: #3a4452; --paper: #1b212a; --ground: #12161c; --accent: #7aa2ff; --on-accent: #0d1420; --bad: #ff8f85; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 0 auto; padding: 2rem; background: var(--paper); border: 1px solid var(--line); border-radius: 12px; }
h1 { margin: 0 0 .5rem; font-size: 1.4rem; line-height: 1.25; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; white-space: pre-line; }
.soft { color: var(--soft); font-size: .875rem; }
.field { margin: 0 0 1.25rem; }
label, legend { display: block; font-weight: 600; padding: 0; }
.hint { display: block; margin: .125rem 0 .375rem; color: var(--soft); font-size: .875rem; font-weight: 400; }
input, select, textarea { width: 100%; margin-top: .25rem; padding: .5rem .625rem; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; font: inherit; }
input[type=checkbox] { width: 1.125rem; height: 1.125rem; margin: 0 .5rem 0 0; vertical-align: -.2em; accent-color: var(--accent); }
textarea { min-height: 7rem; resize: vertical; }
input:focus-visible, select:focus-visible, textarea:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.wrong { color: var(--bad); font-size: .875rem; font-weight: 600; }
[aria-invalid=true] { border-color: var(--bad); }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0; }
main > p:last-child { margin-bottom: 0; }
button { padding: .625rem 1.25rem; color: var(--ink); background: transparent; border: 1px solid var(--line); border-radius: 8px; font: inherit; font-weight: 600; cursor: pointer; }
button.first { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
`
