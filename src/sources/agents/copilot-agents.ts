import type { Diagnostic } from '../../model/diagnostic.ts'
import { finishAgent, onlyDiagnostic } from './agent-draft.ts'
import type { AgentDraft, AgentLists, AgentReading } from './agent-draft.ts'
import { readFrontMatter, textOf } from './agent-fields.ts'
import type { Field, ListProblem } from './agent-fields.ts'
import { modelIn } from './agent-prompt.ts'
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
  const { fields, problem, body } = front
  const servers = fields.get('mcp-servers')
  const unread = servers ? [unreadServers(place, servers.line)] : []
  const draft: AgentDraft = {
    place,
    name: textOf(fields.get('name')) ?? fileName.replace(/\.agent$/, ''),
    line: 1,
    description: textOf(fields.get('description')),
    prompt: body,
    model: modelIn(fields.get('model')),
    dialect: 'copilot',
  }
  const { agents, diagnostics } = finishAgent(draft, problem ?? listsIn(fields.get('tools')))
  return { agents, diagnostics: [...diagnostics, ...unread] }
}

function listsIn(tools: Field | undefined): AgentLists | ListProblem {
  if (!tools) return {}
  const list = readToolList(tools)
  return 'items' in list ? { tools: list.items } : list
}

function unreadServers({ path: file }: FilePlace, line: number): Diagnostic {
  return {
    code: 'not-launchable',
    severity: 'warn',
    message: 'The servers under "mcp-servers" run only inside GitHub Copilot; they are not read.',
    hint: 'To use them here, declare them in a file of servers.',
    origin: { file, line },
  }
}
