import type { Transform } from 'node:stream'
import { HttpError } from '../platform.ts'

/** Beyond the first MiB nothing honest is packed tighter than this (T24). */
const maxRatio = 100
const freeBytes = 1024 * 1024

export interface Unpacking {
  readonly onData: (chunk: Uint8Array) => void
  readonly onEnd: () => void
  readonly onError: (error: HttpError) => void
  /** After `write` returned `false`: there is room again. */
  readonly onDrain: () => void
}

export interface Unpacker {
  /** `false` when no more should come for now. */
  write(chunk: Uint8Array): boolean
  end(): void
  destroy(): void
}

/** Unpacks a body while it comes; memory stays that of a few chunks, whatever they hold. */
export function createUnpacker(encoding: string, on: Unpacking): Unpacker {
  let [packed, unpacked] = [0, 0]
  let stream: Transform | undefined

  const fail = (reason: HttpError['reason'], message: string, options?: ErrorOptions) => {
    stream?.destroy()
    on.onError(new HttpError(reason, true, message, options))
  }
  const open = (first: Uint8Array) => {
    const opened = openStream(encoding, first)
    opened?.on('data', (chunk: Buffer) => {
      unpacked += chunk.length
      if (unpacked <= freeBytes || unpacked <= packed * maxRatio) return on.onData(chunk)
      if (!opened.destroyed) fail('too-large', `The body unpacks to more than ${maxRatio} times its size.`)
    })
    opened?.on('end', on.onEnd)
    opened?.on('drain', on.onDrain)
    opened?.on('error', (cause) => fail('malformed', `The body is not ${encoding}.`, { cause }))
    return opened
  }
  return {
    write(chunk) {
      packed += chunk.length
      stream ??= open(chunk)
      if (stream) return stream.write(chunk)
      fail(
        'malformed',
        `The body is packed as ${JSON.stringify(encoding.slice(0, 40))}, which is not known here.`,
      )
      return true
    },
    end() {
      if (stream) stream.end()
      else on.onEnd()
    },
    destroy: () => void stream?.destroy(),
  }
}

function openStream(encoding: string, first: Uint8Array): Transform | undefined {
  const zlib = process.getBuiltinModule('node:zlib')
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip()
    case 'br':
      return zlib.createBrotliDecompress()
    case 'deflate':
      // Some servers leave out the wrapping, which begins with the method 8 in the low half of its first byte.
      return ((first[0] ?? 0) & 15) === 8 ? zlib.createInflate() : zlib.createInflateRaw()
    default:
      return undefined
  }
}
