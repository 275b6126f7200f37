import { finish, joinReadings, noAgents, onlyDiagnostic } from './agent-draft.ts'
import type { AgentReading } from './agent-draft.ts'
import { toLines } from './agent-fields.ts'
import { readSections } from './agent-sections.ts'
import { readToolList } from './agent-tool-list.ts'
import type { FilePlace } from '../source.ts'

/** `AGENTS.md`: a section with its own `tools:` or front matter is an agent, any other is not (B12). */
export function readAgentsMarkdown(text: string, place: FilePlace): AgentReading {
  const sections = readSections(toLines(text))
  const top = sections[1]?.heading
  return joinReadings(
    sections.map(({ heading, line, agent }, index) => {
      // Front matter on top of a file may be about anything.
      const isAgent = index > 0 || agent?.name !== undefined || agent?.tools || agent?.problem
      if (!agent || !isAgent) return noAgents
      const name = agent.name ?? (heading || (agent.hasFrontMatter ? top : undefined))
      if (!name)
        return onlyDiagnostic(
          'missing-key',
          'These tools belong to no agent: nothing names one.',
          place,
          line,
        )
      const list = agent.problem ?? (agent.tools ? readToolList(agent.tools) : {})
      const lists = 'items' in list ? { tools: list.items } : list
      return finish({ place, name, line, description: agent.description }, lists)
    }),
  )
}
