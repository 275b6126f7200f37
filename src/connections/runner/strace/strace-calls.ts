/** A system call that has ended, as strace prints it with `-xx`: every text in hexadecimal, so that no name can end a field. */
export interface SystemCall {
  /** The thread that made it. */
  readonly thread: number
  readonly name: string
  readonly args: string
  /** A number, a descriptor with its path, or `-1` with the name of the error. */
  readonly result: string
}

/** The options of strace that `createStraceReader` reads the output of. */
export const straceOptions: readonly string[] = [
  '-f',
  '-qq',
  '-yy',
  '-xx',
  // Answers of DNS are at most this long as a rule; paths are always whole.
  '-s',
  '600',
  '-e',
  'signal=none',
  '-e',
  // A question mark: not every processor has the call.
  `trace=?open,openat,?openat2,?creat,execve,execveat,?mkdir,mkdirat,?rename,?renameat,?renameat2,?unlink,unlinkat,?rmdir,?link,linkat,?symlink,symlinkat,truncate,chdir,connect,recvfrom,clone,?clone3,?fork,?vfork`,
]

const unfinished = ' <unfinished ...>'
/** A line that no call of ours has; it is left out. */
const longestLine = 256 * 1024

/**
 * Reads the lines of a trace in order. A call that another thread interrupts is printed in two parts, which are joined by the
 * number of the thread. One pass over each line; at most one unfinished call is kept for each thread.
 */
export function createStraceReader(onCall: (call: SystemCall) => void): (line: string) => void {
  const open = new Map<number, string>()
  return (line) => {
    const space = line.indexOf(' ')
    const thread = Number(line.slice(0, space))
    if (space < 1 || !Number.isSafeInteger(thread) || line.length > longestLine) return
    let text = line.slice(space).trimStart()
    if (text.startsWith('<... ')) {
      const begun = open.get(thread)
      open.delete(thread)
      const end = text.indexOf(' resumed>')
      if (begun === undefined || end < 0) return
      text = begun + text.slice(end + ' resumed>'.length)
    }
    if (text.endsWith(unfinished)) {
      open.set(thread, text.slice(0, -unfinished.length))
      return
    }
    const call = splitCall(text)
    if (call) onCall({ thread, ...call })
  }
}

function splitCall(text: string): Omit<SystemCall, 'thread'> | undefined {
  const bracket = text.indexOf('(')
  const equals = text.lastIndexOf(' = ')
  if (bracket < 1 || equals < bracket) return undefined
  const args = text.slice(bracket + 1, equals).trimEnd()
  if (!args.endsWith(')')) return undefined
  return { name: text.slice(0, bracket), args: args.slice(0, -1), result: text.slice(equals + 3) }
}

/** The quoted texts of a call, in order. */
export function textsIn(args: string): readonly string[] {
  return [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => fromHex(hex).toString('utf8'))
}

/** The bytes of the first quoted text. */
export function bytesIn(args: string): Uint8Array {
  return fromHex(/"((?:\\x[0-9a-f]{2})*)"/.exec(args)?.[1] ?? '')
}

/** The paths beside descriptors, as in `AT_FDCWD<…>` and `3<…>`, in order. */
export function descriptorPaths(text: string): readonly string[] {
  return [...text.matchAll(/(?:AT_FDCWD|\b\d+)<((?:\\x[0-9a-f]{2})*)/g)].map(([, hex = '']) =>
    fromHex(hex).toString('utf8'),
  )
}

function fromHex(escaped: string): Buffer {
  return Buffer.from(escaped.replaceAll('\\x', ''), 'hex')
}
