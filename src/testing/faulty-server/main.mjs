import { readFileSync } from 'node:fs'
import { createJournal } from './journal.mjs'
import { readScript } from './script.mjs'
import { createServer } from './server.mjs'

// A server that follows a script, on stdio, or with --http or --sse on a local port.
const [mode, source] = readArguments(process.argv.slice(2))
const script = readScript(source)
const server = createServer(script, createJournal(script.journal))
if (mode === 'stdio') (await import('./stdio.mjs')).serveStdio(server)
else (await import('./http.mjs')).serveHttp(server, mode)

function readArguments(args) {
  let [mode, source] = ['stdio', '{}']
  for (let at = 0; at < args.length; at++) {
    if (args[at] === '--http' || args[at] === '--sse') mode = args[at].slice(2)
    else if (args[at] === '--script') source = args[++at] ?? ''
    else fail(`unknown argument ${args[at]}`)
  }
  return [mode, source.trimStart().startsWith('{') ? source : readFileSync(source, 'utf8')]
}

function fail(message) {
  process.stderr.write(`faulty-server: ${message}\n`)
  process.exit(64)
}
