import { finishAgent, isProblem, onlyDiagnostic } from './agent-draft.ts'
import type { AgentDraft, AgentReading } from './agent-draft.ts'
import { readFrontMatter, textOf } from './agent-fields.ts'
import { modelIn } from './agent-prompt.ts'
import { readToolList } from './agent-tool-list.ts'
import type { FilePlace } from '../source.ts'

/** Claude Code's agent files: `tools` and `disallowedTools`. Without `tools`, the agent has every tool except the denied. */
export function readClaudeAgent(text: string, place: FilePlace, fileName: string): AgentReading {
  const front = readFrontMatter(text)
  if (!front)
    return onlyDiagnostic('missing-key', 'The file has no front matter, so it describes no agent.', place)
  const { fields, problem, body } = front
  const draft: AgentDraft = {
    place,
    name: textOf(fields.get('name')) ?? fileName.replace(/^.*\//, ''),
    line: 1,
    description: textOf(fields.get('description')),
    prompt: body,
    model: modelIn(fields.get('model')),
    dialect: 'claude-code',
  }
  if (problem) return finishAgent(draft, problem)
  const [allow, deny] = [fields.get('tools'), fields.get('disallowedtools')]
  if (!allow && !deny) return finishAgent(draft, {})
  const allowed = allow ? readToolList(allow) : { items: ['*'] }
  const denied = deny ? readToolList(deny) : { items: [] }
  if (isProblem(allowed)) return finishAgent(draft, allowed)
  if (isProblem(denied)) return finishAgent(draft, denied)
  const denials = denied.items.map(dropArguments).flatMap(expandServer)
  return finishAgent(draft, {
    tools: [...allowed.items.flatMap(expandServer), ...denials.map((item) => `!${item}`)],
  })
}

/** `mcp__server` means all tools of the server. */
function expandServer(item: string): readonly string[] {
  const isServer = item.startsWith('mcp__') && !item.includes('__', 'mcp__'.length)
  return isServer ? [item, `${item}__*`] : [item]
}

/** A denial of certain arguments denies the whole tool, because agent lists have no finer rule. */
function dropArguments(item: string): string {
  const at = item.indexOf('(')
  return at < 0 ? item : item.slice(0, at)
}
