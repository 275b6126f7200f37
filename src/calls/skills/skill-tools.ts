import type { Tool, ToolDefinition } from '../../model/tool.ts'
import { stringField, toOwnTool, toTextResult } from '../view/own-tools.ts'
import type { OwnTool } from '../view/own-tools.ts'
import type { SkillCall } from './skill-call.ts'
import type { VisibleSkills } from './visible-skills.ts'

const purpose =
  'Loads a skill: instructions that a server wrote for one kind of task. Load one before you begin a task that fits its description. With "file", reads a file that a loaded skill names.'

const loadSkill: ToolDefinition = {
  name: 'load_skill',
  description: purpose,
  inputSchema: {
    type: 'object',
    properties: {
      skill: { type: 'string', description: 'The skill, as server/name.' },
      file: { type: 'string', description: 'A file of a skill that is loaded, by its path in the skill.' },
    },
    required: ['skill'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
}

const findSkills: ToolDefinition = {
  name: 'find_skills',
  description: 'Finds skills by words in their names and descriptions, for load_skill.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'Words of the task.' } },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
}

/** The definitions whose names no tool of a server may get. */
export const skillTools: readonly ToolDefinition[] = [loadSkill, findSkills]

/** More skills than these are found by `find_skills`: each line costs tokens in every request. */
const maxListed = 30
const maxFound = 30
const maxWords = 160

export interface SkillTools {
  /** The tools as a model sees them now; none if no visible server has skills. The same objects while the skills are the same. */
  tools(): readonly Tool[]
  /** A call of it becomes a call of the skill in its arguments. */
  readonly load: Tool
  readonly find: OwnTool
}

export function createSkillTools(
  { all }: Pick<VisibleSkills, 'all'>,
  native: ReadonlySet<string>,
): SkillTools {
  const load = toOwnTool(loadSkill, native)
  const found: OwnTool = {
    tool: toOwnTool(findSkills, native),
    isAlwaysAllowed: true,
    run: async (args) => toTextResult(searchSkills(all(), stringField(args, 'query') ?? '')),
  }
  let shown = { description: load.description, tool: load }
  return {
    load,
    find: found,
    tools() {
      const skills = all()
      if (skills.length === 0) return []
      const description = describe(skills)
      if (shown.description !== description)
        shown = { description, tool: toOwnTool({ ...loadSkill, description }, native) }
      return skills.length > maxListed ? [found.tool, shown.tool] : [shown.tool]
    },
  }
}

function describe(skills: readonly SkillCall[]): string {
  const more = skills.length - maxListed
  const lines = skills.slice(0, maxListed).map(toLine)
  const rest = more > 0 ? [`and ${more} more: find_skills`] : []
  return [purpose, '', 'Skills:', ...lines, ...rest].join('\n')
}

function toLine({ skill: { ref, description } }: SkillCall): string {
  return `- ${ref}: ${shorten(description)}`
}

/** Skills with most of the words first; those that have none are left out. */
function searchSkills(skills: readonly SkillCall[], query: string): string {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .slice(0, 20)
  const ranked = skills
    .map((call) => {
      const text = `${call.skill.ref} ${call.skill.description}`.toLowerCase()
      return { call, hits: words.filter((word) => text.includes(word)).length }
    })
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits)
  if (ranked.length === 0) return '(no skill matches these words)'
  const lines = ranked.slice(0, maxFound).map(({ call }) => toLine(call))
  const more = ranked.length - maxFound
  return (more > 0 ? [...lines, `[${more} more: use other words]`] : lines).join('\n')
}

function shorten(text: string): string {
  return text.length > maxWords ? `${text.slice(0, maxWords - 1).trimEnd()}…` : text
}
