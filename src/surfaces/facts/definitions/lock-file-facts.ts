import type { Discovery } from '../../../index.ts'
import type { LockFileFacts } from '../../api/lock-routes.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { ShortenPath } from '../place-facts.ts'

type LockState = NonNullable<Discovery['locks']> extends ReadonlyMap<unknown, infer State> ? State : never

/** The lock files of the projects whose servers are in force here, with what each says about its servers. */
export function describeLocks(
  { locks }: Pick<Discovery, 'locks'>,
  shorten: ShortenPath,
): readonly LockFileFacts[] {
  const files = new Map<string, LockFileFacts['servers'][number][]>()
  for (const [{ name }, state] of locks ?? []) {
    const servers = files.get(state.file) ?? []
    files.set(state.file, [...servers, { name, ...describeState(state) }])
  }
  return [...files].map(([file, servers]) => ({
    file,
    shown: escapeLine(shorten(file)),
    servers,
    command: 'plugboard lock --check',
  }))
}

function describeState(state: LockState): { readonly isAsLocked: boolean; readonly sentence: string } {
  if (state.kind === 'broken')
    return { isAsLocked: false, sentence: escapeLine(`${state.problem} ${state.hint}`) }
  if (state.kind === 'missing')
    return { isAsLocked: false, sentence: 'It is not in the lock file: everything that it offers is held.' }
  const isAsLocked = state.locked.declaration === state.declaration
  const sentence = isAsLocked
    ? 'Its declaration is as it was locked; what differs of its offers is held.'
    : 'Its declaration is another one than the locked one.'
  return { isAsLocked, sentence }
}
