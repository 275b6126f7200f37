import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { HostEvent, JsonObject } from '../../src/index.ts'
import { newHome } from './tool-host.ts'

/** What the server of `skill-server.mjs` offers and sends. */
export interface SkillPlan {
  readonly skills?: readonly PlannedSkill[]
  /** Entries that are listed as they are. */
  readonly more?: readonly unknown[]
  readonly tools?: readonly JsonObject[]
  /** `skills/get` fails. */
  readonly isDumb?: boolean
  readonly era?: 'legacy'
  readonly directories?: boolean
  readonly pageSize?: number
}

export interface PlannedSkill {
  readonly path: string
  readonly files: Readonly<Record<string, string>>
  /** Sent in place of a file. */
  readonly sent?: Readonly<Record<string, string>>
  /** Files that the server has and does not list. */
  readonly hidden?: Readonly<Record<string, string>>
  /** Replaces parts of its entry. */
  readonly entry?: JsonObject
  readonly unlisted?: boolean
}

/** A server that follows a plan, which may change while it runs. */
export function skillServer(plan: SkillPlan): {
  readonly entry: JsonObject
  readonly change: (plan: SkillPlan) => void
} {
  const file = join(newHome(), 'plan.json')
  const change = (next: SkillPlan) => writeFileSync(file, JSON.stringify(next))
  change(plan)
  const script = fileURLToPath(new URL('skill-server.mjs', import.meta.url))
  return { entry: { command: process.execPath, args: [script, file] }, change }
}

export function sdkSkillServer(...args: readonly string[]): JsonObject {
  const script = fileURLToPath(new URL('sdk-skill-server.mjs', import.meta.url))
  return { command: process.execPath, args: [script, ...args] }
}

export function skillText(name: string, description: string, body: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}`
}

export const pdf: PlannedSkill = {
  path: 'pdf-processing',
  files: {
    'SKILL.md': skillText(
      'pdf-processing',
      'Extract and fill PDF documents',
      'Read references/FORMS.md first.\n',
    ),
    'references/FORMS.md': 'Fill one field at a time.\n',
  },
}

/** The files that servers were asked for, in order. */
export function filesRead(events: readonly HostEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'server.said' && event.line.startsWith('resources/read ') ? [event.line.slice(15)] : [],
  )
}
