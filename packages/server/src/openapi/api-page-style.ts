/** Served as a file of its own: the page allows no style inside of it. */
export const apiPageStyle = `:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d5dbe3; --paper: #ffffff; --accent: #2456c8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf2; --soft: #9aa5b4; --line: #3a4452; --paper: #12161c; --accent: #7aa2ff; } }
body { margin: 0; padding: 2rem 1rem; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; }
a { color: var(--accent); }
nav { line-height: 2; }
nav a { margin-right: .75rem; }
h2 { margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line); }
h3, h4 { margin: 1.25rem 0 .25rem; }
details { border-bottom: 1px solid var(--line); padding: .375rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary span { display: block; margin-left: 1.1rem; color: var(--soft); }
details > :not(summary) { margin-left: 1.1rem; }
table { border-collapse: collapse; margin: .5rem 0 1rem; }
caption { text-align: left; font-weight: 600; }
th, td { text-align: left; vertical-align: top; font-weight: 400; padding: .2rem .75rem .2rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem .75rem; }
dd { margin: 0; overflow-wrap: anywhere; }
`
