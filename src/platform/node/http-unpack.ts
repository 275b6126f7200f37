import type { Transform } from 'node:stream'
import { HttpError } from '../platform.ts'

/** The highest compression ratio accepted after the first MiB; legitimate bodies stay below it (T24). */
const maxRatio = 100
const freeBytes = 1024 * 1024

export interface UnpackListener {
  readonly onData: (chunk: Uint8Array) => void
  readonly onEnd: () => void
  readonly onError: (error: HttpError) => void
  /** Called after `write` returned `false`, when more data can be written. */
  readonly onDrain: () => void
}

export interface Unpacker {
  /** Returns `false` when the caller should pause. */
  write(chunk: Uint8Array): boolean
  end(): void
  destroy(): void
}

/** Decompresses a body while it arrives; memory use stays at a few chunks, whatever its size. */
export function createUnpacker(encoding: string, on: UnpackListener): Unpacker {
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
      if (!opened.destroyed)
        fail('too-large', `The body decompresses to more than ${maxRatio} times its size.`)
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
      fail('malformed', `The body has the unknown encoding ${JSON.stringify(encoding.slice(0, 40))}.`)
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
      // Some servers omit the zlib wrapper, whose first byte has the method 8 in its low half.
      return ((first[0] ?? 0) & 15) === 8 ? zlib.createInflate() : zlib.createInflateRaw()
    default:
      return undefined
  }
}
