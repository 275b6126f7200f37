import type { LockFile, LockedServer } from '../model/locked-server.ts'

/** One thing that is not as it was agreed on. */
export interface LockDifference {
  readonly server: string
  readonly part: LockPart
  /** Of a tool, prompt, template, skill or script; absent for the other parts. */
  readonly name?: string
  /**
   * `unknown`: the lock file has a version, and none was found on this machine; or the file does not cover a script that
   * the command line does not name as a file.
   */
  readonly change: 'added' | 'removed' | 'changed' | 'unknown'
  readonly locked?: string
  readonly now?: string
}

export type LockPart =
  | 'server'
  | 'declaration'
  | 'command'
  | 'package'
  | 'version'
  | 'script'
  | 'instructions'
  | 'tool'
  | 'prompt'
  | 'template'
  | 'app'
  | 'skill'

/** What a program is, without what it offers. */
export type LockedProgram = Pick<
  LockedServer,
  'declaration' | 'command' | 'package' | 'version' | 'scripts' | 'resolved'
>

/** Everything in which two lock files differ, in the order of the file. */
export function compareLockFiles(locked: LockFile, now: LockFile): readonly LockDifference[] {
  const names = [...new Set([...locked.servers.keys(), ...now.servers.keys()])].sort()
  return names.flatMap((server) => {
    const [before, after] = [locked.servers.get(server), now.servers.get(server)]
    if (!before) return [{ server, part: 'server' as const, change: 'added' as const }]
    if (!after) return [{ server, part: 'server' as const, change: 'removed' as const }]
    return compareServer(server, before, after)
  })
}

export function compareServer(
  server: string,
  locked: LockedServer,
  now: LockedServer,
): readonly LockDifference[] {
  return [
    ...compareProgram(server, locked, now),
    ...compareTexts(server, 'instructions', locked.instructions, now.instructions),
    ...compareMaps(server, 'tool', locked.tools, now.tools),
    ...compareMaps(server, 'prompt', locked.prompts, now.prompts),
    ...compareMaps(server, 'template', locked.templates, now.templates),
    // Apps are read only by a command that may start the server; a file of an earlier version says nothing about them.
    ...(now.apps && locked.apps ? compareMaps(server, 'app', locked.apps, now.apps) : []),
    ...compareMaps(server, 'skill', locked.skills, now.skills),
  ]
}

/** Whether the declaration and what it runs are as agreed on. */
export function compareProgram(
  server: string,
  locked: LockedProgram,
  now: LockedProgram,
): readonly LockDifference[] {
  const isSamePackage = locked.package === now.package
  return [
    ...compareTexts(server, 'declaration', locked.declaration, now.declaration),
    ...compareTexts(server, 'command', locked.command, now.command),
    ...compareTexts(server, 'package', locked.package, now.package),
    // Versions of different packages say nothing.
    ...(isSamePackage ? compareVersions(server, locked.version, now.version) : []),
    ...compareMaps(server, 'script', locked.scripts, now.scripts).map((each) =>
      each.change === 'added' && now.resolved?.has(each.name ?? '')
        ? { ...each, change: 'unknown' as const }
        : each,
    ),
  ]
}

function compareVersions(
  server: string,
  locked: string | undefined,
  now: string | undefined,
): readonly LockDifference[] {
  if (locked !== undefined && now === undefined)
    return [{ server, part: 'version', change: 'unknown', locked }]
  return compareTexts(server, 'version', locked, now)
}

/**
 * Whether a difference breaks the agreement. A version that was not known when it was locked was not agreed on; one that is
 * not known on this machine cannot be judged, which only a check that must be complete counts.
 */
export function isBreach({ part, change }: LockDifference, checks: 'known' | 'all' = 'known'): boolean {
  // T133: a lock file of an earlier version stays valid; `plugboard lock` covers the script from then on.
  if (part === 'script' && change === 'unknown') return false
  if (part !== 'version') return true
  return change === 'changed' || change === 'removed' || (change === 'unknown' && checks === 'all')
}

function compareTexts(
  server: string,
  part: LockPart,
  locked: string | undefined,
  now: string | undefined,
): readonly LockDifference[] {
  if (locked === now) return []
  const change = locked === undefined ? 'added' : now === undefined ? 'removed' : 'changed'
  return [
    {
      server,
      part,
      change,
      ...(locked !== undefined && { locked }),
      ...(now !== undefined && { now }),
    },
  ]
}

function compareMaps(
  server: string,
  part: LockPart,
  locked: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): readonly LockDifference[] {
  const names = [...new Set([...locked.keys(), ...now.keys()])].sort()
  return names.flatMap((name) =>
    compareTexts(server, part, locked.get(name), now.get(name)).map((each) => ({ ...each, name })),
  )
}
