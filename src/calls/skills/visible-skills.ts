import type { JsonObject } from '../../model/json.ts'
import { HostError } from '../../model/error.ts'
import { nearest } from '../../model/near.ts'
import { isVisible } from '../../policy/layers.ts'
import type { ViewContext } from '../view/view-context.ts'
import type { Visibility } from '../view/visibility.ts'
import { toSkillCalls } from './skill-call.ts'
import type { SkillCall } from './skill-call.ts'

/** The skills of the servers that are visible in a scope. */
export interface VisibleSkills {
  all(): readonly SkillCall[]
  /** By the ref of its call. */
  byCall(ref: string): SkillCall | undefined
  /** By `server/name`, `server/uri`, the name of its call, or its name or address alone if only one visible skill has it. */
  find(word: string): SkillCall | undefined
}

/** What follows the server in the ref of a call of a skill. */
const callPart = '/skill:'

export function createVisibleSkills(context: ViewContext, visibility: () => Visibility): VisibleSkills {
  const { catalog, calling } = context
  // Lists are immutable, and one that is listed again unchanged stays the same object.
  const calls = new WeakMap<readonly JsonObject[], readonly SkillCall[]>()
  const callsOf = (server: string): readonly SkillCall[] => {
    const { skills } = catalog.snapshotOf(server) ?? {}
    if (!skills) return []
    const known = calls.get(skills) ?? toSkillCalls(server, skills, calling.naming)
    calls.set(skills, known)
    return known
  }
  const all = () => {
    const { isServerVisible, layers } = visibility()
    // The read-only guard is about tools that write. Loading a skill writes nothing.
    const unguarded = layers.map(({ layer, tools, servers, off }) => ({
      layer,
      off,
      ...(tools && { tools }),
      ...(servers && { servers }),
    }))
    return catalog
      .servers()
      .filter((server) => isServerVisible(server))
      .flatMap((server) => callsOf(server).filter((call) => isVisible(call, unguarded)))
  }
  return {
    all,
    byCall: (ref) => (ref.includes(callPart) ? all().find((call) => call.ref === ref) : undefined),
    find(word) {
      const known = all()
      const exact = known.find(({ ref, name, skill }) => [skill.ref, ref, name].includes(word))
      if (exact) return exact
      const alike = known.filter(
        ({ server, skill }) => skill.name === word || skill.uri === word || `${server}/${skill.uri}` === word,
      )
      if (alike.length > 1) throw ambiguous(word, alike)
      return alike[0]
    },
  }
}

export function unknownSkill(word: string, known: readonly SkillCall[]): HostError {
  const refs = known.map(({ skill }) => skill.ref)
  const near = nearest(word, refs, new Map(known.map(({ skill }) => [skill.ref, skill.name])))
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
  const shown = JSON.stringify(word.slice(0, 200))
  return new HostError('skill.unknown', { skill: word, near }, `There is no skill ${shown} here.${hint}`)
}

function ambiguous(word: string, found: readonly SkillCall[]): HostError {
  const near = found.map(({ skill }) => skill.ref)
  const message = `Several servers have a skill ${JSON.stringify(word)}: ${near.slice(0, 10).join(', ')}. Name one of them.`
  return new HostError('skill.unknown', { skill: word, near }, message)
}
