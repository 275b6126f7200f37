import { finish, isProblem, nameOfFile, onlyDiagnostic } from './agent-draft.ts'
import type { AgentDraft, AgentReading } from './agent-draft.ts'
import { readFrontMatter, textOf } from './agent-fields.ts'
import { readToolList } from './agent-tool-list.ts'
import type { FilePlace } from '../source.ts'

/** Claude Code's agent files: `tools` and `disallowedTools`; without the first the agent has every tool but those. */
export function readClaudeAgent(text: string, place: FilePlace): AgentReading {
  const front = readFrontMatter(text)
  if (!front) return onlyDiagnostic('missing-key', 'Without a front matter this describes no agent.', place)
  const { fields, problem } = front
  const draft: AgentDraft = {
    place,
    name: textOf(fields.get('name')) ?? nameOfFile(place).replace(/^.*\//, ''),
    line: 1,
    description: textOf(fields.get('description')),
    dialect: 'claude-code',
  }
  if (problem) return finish(draft, problem)
  const [allow, deny] = [fields.get('tools'), fields.get('disallowedtools')]
  if (!allow && !deny) return finish(draft, {})
  const allowed = allow ? readToolList(allow) : { items: ['*'] }
  const denied = deny ? readToolList(deny) : { items: [] }
  if (isProblem(allowed)) return finish(draft, allowed)
  if (isProblem(denied)) return finish(draft, denied)
  const denials = denied.items.map(wholeTool).flatMap(wholeServer)
  return finish(draft, {
    tools: [...allowed.items.flatMap(wholeServer), ...denials.map((item) => `!${item}`)],
  })
}

/** `mcp__server` is all tools of the server. */
function wholeServer(item: string): readonly string[] {
  const isServer = item.startsWith('mcp__') && !item.includes('__', 'mcp__'.length)
  return isServer ? [item, `${item}__*`] : [item]
}

/** A denial of some arguments denies the tool: we have no finer one. */
function wholeTool(item: string): string {
  const at = item.indexOf('(')
  return at < 0 ? item : item.slice(0, at)
}
