import { isObject, parseObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Files, Lock } from '../platform/platform.ts'
import type { CallHistory, CallMaker, StoredCall, StoredCallError } from './stored-call.ts'

/** More than these bytes are not read: a line is at most some ten kilobytes. */
const maxBytes = 16 * 1024 * 1024

interface JournalOptions {
  readonly files: Files
  readonly lock: Lock
  readonly file: string
}

/** Makes the journal, which tells short commands that calls are kept here. */
export async function makeJournal({ files, file }: Pick<JournalOptions, 'files' | 'file'>): Promise<void> {
  if (!(await files.stat(file))) await files.append(file, '')
}

/**
 * Moves the calls of the journal into the store. The file is renamed first, so that commands that run meanwhile write into
 * a new one; one that a killed program left is read too. Returns how many calls there were.
 */
export async function takeJournal(
  { files, lock, file }: JournalOptions,
  calls: CallHistory,
): Promise<number> {
  const moved = `${file}.taking`
  const { size = 0 } = (await files.stat(file)) ?? {}
  if (size === 0 && !(await files.stat(moved))) return 0
  return lock(await files.realPath(file), async () => {
    let taken = await takeFile(moved, files, calls)
    // Another process may have moved it meanwhile.
    const now = (await files.stat(file))?.size ?? 0
    if (now === 0) return taken
    await files.move(file, moved)
    await files.append(file, '')
    taken += await takeFile(moved, files, calls)
    return taken
  })
}

async function takeFile(file: string, files: Files, calls: CallHistory): Promise<number> {
  const read = await files.readText(file, { maxBytes })
  if (read.kind === 'absent') return 0
  const lines = read.kind === 'text' ? read.text.split('\n') : []
  const found = lines.flatMap((line) => readLine(line) ?? [])
  for (const call of found) calls.record(call)
  await calls.flush()
  await files.remove(file)
  return found.length
}

/** A line that is not one of ours, or was cut off, costs no other. */
function readLine(
  line: string,
): (Omit<StoredCall, 'at' | 'startedAt'> & { readonly at: string }) | undefined {
  const value = parseObject(line)
  if (!value) return undefined
  const { id, ref, args, outcome, result, raw, ms, bytes, at, by, error } = value
  const isWhole =
    [id, ref, outcome, result, at].every((text) => typeof text === 'string') &&
    typeof ms === 'number' &&
    typeof bytes === 'number'
  if (!isWhole || args === undefined) return undefined
  return {
    id: id as string, // checked above
    ref: ref as string,
    args,
    outcome: outcome as StoredCall['outcome'], // written by `writeCall` of the command line
    result: result as string,
    ...(raw !== undefined && { raw }),
    ms,
    bytes,
    at: at as string,
    by: (typeof by === 'string' ? by : 'terminal') as CallMaker,
    ...(isObject(error) && { error: error as JsonObject & StoredCallError }),
  }
}
