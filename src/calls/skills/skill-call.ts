import { createClaims } from '../../catalog/tool-names.ts'
import type { NamingRules } from '../../model/preset.ts'
import { toSkills } from '../../model/skills/offered-skills.ts'
import type { Skill, SkillEntry } from '../../model/skills/skill.ts'
import type { JsonObject } from '../../model/json.ts'
import { toRef } from '../../model/tool.ts'
import type { Annotations, Tool } from '../../model/tool.ts'

const inputSchema: JsonObject = {
  type: 'object',
  properties: { file: { type: 'string' } },
  additionalProperties: false,
}

/**
 * Loading a skill as a call: the globs and rules for tools decide on it, a person is asked, and the audit trail records it,
 * as for a tool. Its hash covers the content, so an approval does not cover another one.
 */
export class SkillCall implements Tool {
  readonly ref: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema = inputSchema
  /** A skill changes nothing by being read; what a model does after that is decided for each call. */
  readonly annotations: Annotations = {}
  readonly server: string
  readonly tool: string
  readonly concurrencySafe = true
  readonly skill: Skill
  readonly entry: SkillEntry

  constructor(skill: Skill, entry: SkillEntry, name: string) {
    const { server, uri, ref } = skill
    this.skill = skill
    this.entry = entry
    this.server = server
    this.tool = `skill:${ref === toRef(server, uri) ? uri : skill.name}`
    this.ref = toRef(server, this.tool)
    this.name = name
    this.title = `Skill ${skill.name}`
    this.description = skill.description
  }

  get hash(): string {
    return this.skill.hash
  }

  get isDynamic(): boolean {
    return this.skill.files === 'dynamic'
  }
}

/** The skills of one server as calls, in the order of their names. */
export function toSkillCalls(
  server: string,
  entries: readonly JsonObject[],
  naming: NamingRules,
): readonly SkillCall[] {
  const claim = createClaims(naming, server)
  const byUri = new Map(entries.map((entry) => [entry['uri'], entry as SkillEntry])) // checked when they were listed
  return toSkills(server, entries).flatMap((skill) => {
    const entry = byUri.get(skill.uri)
    return entry ? [new SkillCall(skill, entry, claim(skill.name).plain)] : []
  })
}
