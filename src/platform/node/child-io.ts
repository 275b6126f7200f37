import type { Readable, Writable } from 'node:stream'
import { giveBack } from '../give-back.ts'
import type { Duplex } from '../platform.ts'

/** What a program said before it closed its input is still on its way for a moment. */
const lastWordsMs = 20

/** The input and output of a program as one. No error of a pipe is ever thrown: it ends here, once. */
export function openDuplex(stdin: Writable, stdout: Readable): Duplex {
  let onData: ((chunk: Uint8Array) => void) | undefined
  let onEnd: ((error?: Error) => void) | undefined
  let broken: Error | undefined
  let isOver = false

  const finish = () => {
    if (isOver) return
    isOver = true
    onData = undefined
    stdout.resume()
    onEnd?.(broken)
  }
  const fail = (error: Error) => {
    broken ??= error
    setTimeout(finish, lastWordsMs).unref()
  }
  stdin.on('error', fail)
  stdout.on('error', fail)
  stdout.on('end', finish)
  stdout.on('close', finish)

  return {
    write: (text) => stdin.writable && stdin.write(text),
    onDrain: (listener) => void stdin.on('drain', listener),
    onData(listener) {
      if (isOver) return
      onData = listener
      stdout.on('data', (chunk: Uint8Array) => {
        onData?.(chunk)
        giveBack(chunk)
      })
    },
    onEnd(listener) {
      onEnd = listener
      if (isOver) queueMicrotask(() => listener(broken))
    },
    end: () => void stdin.end(),
    destroy() {
      stdin.destroy()
      stdout.destroy()
    },
  }
}
