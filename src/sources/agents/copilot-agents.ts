import { finishAgent, onlyDiagnostic } from './agent-draft.ts'
import type { AgentDraft, AgentReading } from './agent-draft.ts'
import { readFrontMatter, textOf } from './agent-fields.ts'
import { readToolList } from './agent-tool-list.ts'
import type { FilePlace } from '../source.ts'

/**
 * GitHub Copilot's agent files: `tools` lists its own tools, `server/tool` and `server/*`; without the list, the agent has
 * every tool. Only files directly in the folder are agents.
 */
export function readCopilotAgent(text: string, place: FilePlace, fileName: string): AgentReading {
  if (fileName.includes('/'))
    return onlyDiagnostic(
      'unsupported-in-client',
      'GitHub Copilot reads only files directly in its folder of agents; this one is not read.',
      place,
    )
  const front = readFrontMatter(text)
  if (!front)
    return onlyDiagnostic('missing-key', 'The file has no front matter, so it describes no agent.', place)
  const { fields, problem } = front
  const draft: AgentDraft = {
    place,
    name: textOf(fields.get('name')) ?? fileName.replace(/\.agent$/, ''),
    line: 1,
    description: textOf(fields.get('description')),
    dialect: 'copilot',
  }
  if (problem) return finishAgent(draft, problem)
  const tools = fields.get('tools')
  if (!tools) return finishAgent(draft, {})
  const list = readToolList(tools)
  return finishAgent(draft, 'items' in list ? { tools: list.items } : list)
}
