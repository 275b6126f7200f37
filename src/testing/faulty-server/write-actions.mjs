/** Invalid bytes on stdout or in the body of an HTTP response. */
export const writeActions = {
  /** Lines that are not messages: one, a list, or `{ lines, text }` for many. */
  noise(what, { port }) {
    const { lines = 1, text = 'noise' } = typeof what === 'object' && !Array.isArray(what) ? what : {}
    const given = typeof what === 'string' || Array.isArray(what) ? [what].flat() : Array(lines).fill(text)
    return port.write(given.map((line) => `${line}\n`).join(''))
  },
  raw: (text, { port }) => port.write(text),
  rawBase64: (text, { port }) => port.write(Buffer.from(text, 'base64')),
  /**
   * The start of an answer that does not end: `{ bytes, idLast }`; without `bytes` it goes on until the process is
   * stopped.
   */
  endless,
  stderr: (text) => writeTo(process.stderr, `${text}\n`),
  stderrFlood: (bytes) => repeat(bytes, (chunk) => writeTo(process.stderr, chunk)),
}

const block = `${'x'.repeat(99)}\n`.repeat(656)

async function repeat(bytes, write) {
  for (let left = bytes ?? Infinity; left > 0; left -= block.length) await write(block.slice(0, left))
}

async function endless(options, { port, message }) {
  const head = options?.idLast
    ? '{"result":'
    : `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`
  await port.write(`${head}{"content":[{"type":"text","text":"`)
  await repeat(options?.bytes, (chunk) => port.write(chunk.replaceAll('\n', 'x')))
}

function writeTo(stream, text) {
  if (stream.destroyed) return new Promise(() => undefined)
  return new Promise((resolve) => void stream.write(text, () => setImmediate(resolve)))
}

/** Writes the answer with wrong bytes or in pieces. */
export async function writeSpoiled(text, how, call) {
  const { port, server, seq } = call
  const bytes = Buffer.from(`${text}\n`)
  const middle = Math.floor(bytes.length / 2)
  switch (how) {
    case 'crlf':
      return port.write(`${text}\r\n`)
    case 'bom':
      return port.write(`\uFEFF${text}\n`)
    case 'half':
      return port.write(bytes.subarray(0, middle))
    case 'halves':
      await port.write(bytes.subarray(0, middle))
      await server.until('any', seq)
      return port.write(bytes.subarray(middle))
    case 'split-utf8':
      return writeInPieces(bytes, port)
    case 'invalid-utf8':
      return port.write(spoilText(bytes))
    case 'content-length':
      return port.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
    case 'no-newline':
      return port.write(text)
    default:
      throw new Error(`unknown way to write "${how}"`)
  }
}

/** Splits every multi-byte character. */
async function writeInPieces(bytes, port) {
  let start = 0
  for (let at = 1; at < bytes.length; at++) {
    const isContinuation = (bytes[at] & 0xc0) === 0x80
    if (!isContinuation) continue
    await port.write(bytes.subarray(start, at))
    start = at
  }
  await port.write(bytes.subarray(start))
}

/** Inserts invalid UTF-8 into the first text of the answer. */
function spoilText(bytes) {
  const at = bytes.indexOf('"text":"') + '"text":"'.length
  return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xc3, 0x28]), bytes.subarray(at)])
}
