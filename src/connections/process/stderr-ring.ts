import type { Clock } from '../../platform/platform.ts'

export interface StderrListener {
  /** A line, without its line end. */
  onLine(line: string): void
  /** This many bytes arrived too fast and were skipped since the last line. */
  onSkipped?(bytes: number): void
}

export interface StderrRing {
  push(chunk: Uint8Array): void
  /** The stream has ended; an unfinished line counts as a line. */
  end(): void
  /** The last lines, newest last, including an unfinished one. */
  tail(lines: number): readonly string[]
}

/** How much is kept, and how much of a flood is delivered as lines (FI-26). */
const limits = {
  keptBytes: 64 * 1024,
  lineBytes: 8 * 1024,
  windowMs: 1000,
  windowLines: 500,
  windowBytes: 256 * 1024,
}

const newline = 10
/** Marks where a line was cut; the redactor masks parts of secrets there. */
const cutMark = '…'

export function createStderrRing(clock: Pick<Clock, 'monotonic'>, listener?: StderrListener): StderrRing {
  const tail = createTail(limits.keptBytes)
  const lines = listener && createLineSplitter(clock, listener)
  return {
    push(chunk) {
      tail.push(chunk)
      lines?.push(chunk)
    },
    end: () => lines?.end(),
    tail: (count) => lastLines(tail, count),
  }
}

function lastLines(tail: ByteTail, count: number): readonly string[] {
  const bytes = tail.bytes()
  // The discarded bytes may include the start of the first line or of a character.
  const start = tail.isCut() ? bytes.indexOf(newline) + 1 : 0
  const text = toText(bytes.subarray(start))
  const lines = (tail.isCut() && start === 0 ? `${cutMark}${text}` : text).split('\n')
  if (lines.at(-1) === '') lines.pop()
  return count > 0 ? lines.slice(-count).map(withoutReturn) : []
}

interface ByteTail {
  push(chunk: Uint8Array): void
  bytes(): Uint8Array
  isCut(): boolean
}

/** The last bytes of a stream. Grows as needed, and moves its content at most once per `size` bytes. */
function createTail(size: number): ByteTail {
  let room = new Uint8Array(0)
  let used = 0
  let total = 0
  const makeRoom = (more: number) => {
    const keep = Math.min(used, size)
    const wanted = Math.min(Math.max(2 * room.length, keep + more, 1024), 2 * size)
    const next = wanted > room.length ? new Uint8Array(wanted) : room
    next.set(room.subarray(used - keep, used))
    room = next
    used = keep
  }
  return {
    push(chunk) {
      const part = chunk.length > size ? chunk.subarray(-size) : chunk
      if (used + part.length > room.length) makeRoom(part.length)
      room.set(part, used)
      used += part.length
      total += chunk.length
    },
    bytes: () => room.subarray(Math.max(used - size, 0), used),
    isCut: () => total > size,
  }
}

/** Splits a stream into lines. In a flood it only checks the time, and resumes at the next line. */
function createLineSplitter(clock: Pick<Clock, 'monotonic'>, listener: StderrListener) {
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let isCut = false
  let isSkipping = false
  let skippedBytes = 0
  let windowEnd = -Infinity
  let linesLeft = 0
  let bytesLeft = 0

  const emit = () => {
    const text = toText(pending.length === 1 && pending[0] ? pending[0] : Buffer.concat(pending))
    const line = isCut ? `${text.replace(/\uFFFD$/, '')}${cutMark}` : withoutReturn(text)
    pending = []
    pendingBytes = 0
    isCut = false
    linesLeft -= 1
    if (skippedBytes > 0) listener.onSkipped?.(skippedBytes)
    skippedBytes = 0
    listener.onLine(line)
  }
  const take = (part: Uint8Array) => {
    const fits = part.subarray(0, limits.lineBytes - pendingBytes)
    skippedBytes += part.length - fits.length
    isCut ||= fits.length < part.length
    if (fits.length === 0) return
    // A copy: the chunk of the stream may be much larger than the kept part.
    pending.push(Uint8Array.prototype.slice.call(fits))
    pendingBytes += fits.length
  }
  const openWindow = () => {
    const now = clock.monotonic()
    if (now < windowEnd) return
    windowEnd = now + limits.windowMs
    linesLeft = limits.windowLines
    bytesLeft = limits.windowBytes
  }
  return {
    push(chunk: Uint8Array) {
      openWindow()
      let at = 0
      while (at < chunk.length) {
        if (linesLeft <= 0 || bytesLeft <= 0) {
          isSkipping = true
          isCut = pendingBytes > 0
          if (isCut) emit()
          skippedBytes += chunk.length - at
          return
        }
        const found = chunk.indexOf(newline, at)
        const end = found < 0 ? chunk.length : found
        bytesLeft -= end - at + 1
        if (isSkipping) skippedBytes += end - at
        else take(chunk.subarray(at, end))
        if (found >= 0 && !isSkipping) emit()
        if (found >= 0) isSkipping = false
        at = end + 1
      }
    },
    end() {
      if (pendingBytes > 0) emit()
      else if (skippedBytes > 0) listener.onSkipped?.(skippedBytes)
      skippedBytes = 0
    },
  }
}

/** Bytes that are not UTF-8 become `�`. */
function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
