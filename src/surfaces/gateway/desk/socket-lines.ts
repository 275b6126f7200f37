import type { Socket } from 'node:net'

/** Environments can be large; more than this is no message of ours. */
const maxCharacters = 4 * 1024 * 1024

/** Reads the first line of a connection, and leaves everything after it to the next reader. */
export function readFirstLine(socket: Socket): Promise<string | undefined> {
  return new Promise((done) => {
    let held = Buffer.alloc(0)
    const finish = (text: string | undefined) => {
      socket.off('data', onData).off('close', onClose).pause()
      done(text)
    }
    const onClose = () => finish(undefined)
    const onData = (chunk: Buffer) => {
      held = Buffer.concat([held, chunk])
      const end = held.indexOf(10)
      if (end < 0 && held.length > maxCharacters) return finish(undefined)
      if (end < 0) return undefined
      const rest = held.subarray(end + 1)
      finish(held.toString('utf8', 0, end))
      if (rest.length > 0) socket.unshift(rest)
      return undefined
    }
    socket.on('data', onData).on('close', onClose)
  })
}

export function writeLine(socket: Socket, message: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`)
}
