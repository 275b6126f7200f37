import { hashDefinition } from '../definition/canonical-definition.ts'
import { removeHidden } from '../hidden.ts'
import type { JsonObject } from '../json.ts'
import { toRef } from '../tool.ts'
import { skillRoot } from './skill.ts'
import type { Skill, SkillEntry, SkillFile } from './skill.ts'

/** The skills of one server in the order of their names, each with a ref of its own. */
export function toSkills(server: string, entries: readonly JsonObject[]): readonly Skill[] {
  const checked = entries as readonly SkillEntry[] // checked when they were listed
  const counts = new Map<string, number>()
  for (const { frontmatter } of checked) counts.set(frontmatter.name, (counts.get(frontmatter.name) ?? 0) + 1)
  return checked
    .map((entry) => toSkill(server, entry, counts.get(entry.frontmatter.name) === 1))
    .sort((a, b) => compare(a.name, b.name) || compare(a.uri, b.uri))
}

/** @param isOnly No other skill of the server has its name. */
export function toSkill(server: string, entry: SkillEntry, isOnly = true): Skill {
  const { uri, frontmatter } = entry
  const { name, description } = frontmatter
  const files = filesOf(entry)
  return {
    ref: toRef(server, isOnly ? name : uri),
    server,
    name,
    description: removeHidden(description).text.replace(/\s+/g, ' ').trim(),
    frontmatter,
    uri,
    files,
    bytes: files === 'dynamic' ? 0 : files.reduce((sum, { size }) => sum + size, 0),
    get hash() {
      return hashDefinition(entry)
    },
  }
}

export function filesOf({ uri: skill, resources }: SkillEntry): readonly SkillFile[] | 'dynamic' {
  if (resources === 'dynamic') return resources
  const start = skillRoot(skill).length + 1
  return resources.map(({ uri, digest, size }) => ({ uri, path: pathOf(uri.slice(start)), digest, size }))
}

/** As a person writes it; a name that does not decode stays as it is. */
function pathOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
