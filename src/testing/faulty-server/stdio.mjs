/**
 * Reads and writes messages on stdin and stdout, one per line, or with Content-Length headers if the script says so.
 */
export function serveStdio(server) {
  const port = createPort(server.script.framing)
  if (server.script.on.sigterm !== undefined) process.on('SIGTERM', () => void server.event('sigterm', port))
  // Keeps the process alive after stdin closes.
  setInterval(() => undefined, 2 ** 30)
  server.event('start', port, { pid: process.pid })
  const read = server.script.framing === 'content-length' ? readFrames : readLines
  read(process.stdin, (text) => receive(text, server, port))
  process.stdin.once('end', () => void (server.event('eof', port) ?? process.exit(0)))
  process.stdin.on('error', () => undefined)
}

function createPort(framing) {
  let hasWritten = false
  const write = (bytes) => {
    hasWritten = true
    // The reader is gone: never settles, so that the step stops here.
    if (process.stdout.destroyed) return new Promise(() => undefined)
    return new Promise((resolve) => void process.stdout.write(bytes, () => setImmediate(resolve)))
  }
  const send = (text) =>
    write(
      framing === 'content-length'
        ? `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
        : `${text}\n`,
    )
  // Ignore EPIPE from a client that is gone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  return {
    kind: 'stdio',
    send,
    answer: send,
    write,
    // Without earlier output there is nothing to flush, and the next action runs synchronously.
    flush: () => (process.stdout.destroyed || !hasWritten ? undefined : write('')),
  }
}

function receive(text, server, port) {
  if (text.trim() === '') return
  let message
  try {
    message = JSON.parse(text)
  } catch {
    server.journal.add({ unreadable: text.slice(0, 200) })
    return
  }
  server.receive(message, port)
}

/** Reads one message per line, in linear time for any chunk sizes. */
function readLines(stream, onMessage) {
  let chunks = []
  stream.on('data', (chunk) => {
    let rest = chunk
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      onMessage(Buffer.concat([...chunks, rest.subarray(0, end)]).toString())
      chunks = []
      rest = rest.subarray(end + 1)
    }
    if (rest.length > 0) chunks.push(rest)
  })
}

/** Reads `Content-Length: N`, an empty line and N bytes. Plain lines get no answer. */
function readFrames(stream, onMessage) {
  let held = Buffer.alloc(0)
  stream.on('data', (chunk) => {
    held = Buffer.concat([held, chunk])
    for (;;) {
      const end = held.indexOf('\r\n\r\n')
      const length = Number(
        /content-length: *(\d+)/i.exec(held.subarray(0, Math.max(end, 0)).toString())?.[1],
      )
      if (end < 0 || held.length < end + 4 + length) return
      onMessage(held.subarray(end + 4, end + 4 + length).toString())
      held = held.subarray(end + 4 + length)
    }
  })
}
