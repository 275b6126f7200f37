import type { HeldOffer, Host, Skill } from '../../../index.ts'
import { toSkills } from '../../../internal.ts'

/** A skill as terminal, page and JSON show it. Nothing of it has been read. */
export interface SkillFacts {
  readonly ref: string
  readonly server: string
  readonly name: string
  readonly description: string
  readonly uri: string
  /** Absent for a dynamic skill: its server does not say which files it has. */
  readonly files?: readonly { readonly path: string; readonly size: number; readonly digest: string }[]
  readonly bytes: number
  readonly isDynamic: boolean
  readonly hash: string
}

export function describeSkill({
  ref,
  server,
  name,
  description,
  uri,
  files,
  bytes,
  hash,
}: Skill): SkillFacts {
  const listed =
    files === 'dynamic' ? undefined : files.map(({ path, size, digest }) => ({ path, size, digest }))
  const isDynamic = listed === undefined
  return { ref, server, name, description, uri, ...(listed && { files: listed }), bytes, isDynamic, hash }
}

const heldSentences = {
  changed: 'Models do not get it: it has changed since it was accepted.',
  renamed: 'Models do not get it: it was accepted under another name.',
  loosened: 'Models do not get it: it has changed since it was accepted.',
  added: 'Models do not get it: it is new, and new offers of this server need your yes.',
  scan: 'Models do not get it: the scanner found something bad in it.',
  rejected: 'Models do not get it: you rejected it.',
  lock: 'Models do not get it: it is not the one in the lock file of the project.',
} as const satisfies Record<HeldOffer['reason'], string>

/** The skills that models do not get until a person has reviewed them, each with the reason. */
export function heldSkills(host: Pick<Host, 'held'>): readonly (SkillFacts & { readonly held: string })[] {
  return host.held().flatMap(({ server, offers }) =>
    offers.flatMap(({ kind, current, reason }) => {
      const { definition } = current
      if (kind !== 'skill' || typeof definition === 'string') return []
      return toSkills(server, [definition]).map((skill) => ({
        ...describeSkill(skill),
        hash: current.hash,
        held: heldSentences[reason],
      }))
    }),
  )
}

/** A skill that is held back from models, by `server/name`, its name or its address. */
export function heldSkillUri(
  host: Pick<Host, 'held'>,
  word: string,
): { readonly server: string; readonly uri: string } | undefined {
  const held = host
    .held()
    .flatMap(({ server, offers }) =>
      offers.flatMap(({ kind, name: uri }) => (kind === 'skill' ? [{ server, uri }] : [])),
    )
  const found = held.filter(({ server, uri }) => {
    const name = uri.split('/').at(-2) ?? ''
    return [uri, name, `${server}/${name}`, `${server}/${uri}`].includes(word)
  })
  return found.length === 1 ? found[0] : undefined
}
