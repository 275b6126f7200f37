import { renderPrompt } from '../../calls/resources/prompt-messages.ts'
import type { Json, View } from '../../index.ts'
import { HostError } from '../../model/error.ts'
import { isObject } from '../../model/json.ts'
import { renderDispatch } from './tool-contracts.ts'
import type { McpSkill } from './mcp-service.ts'

type Arguments = Readonly<Record<string, string>>

/** D21: the prompts visible in a conversation, as skills. */
export function skillsOf(view: View): readonly McpSkill[] {
  return view.prompts().flatMap(({ server, prompt }) => {
    const { name, description, arguments: declared } = prompt
    if (typeof name !== 'string') return []
    return {
      name: `${server}__${name}`,
      description: `[${server}] ${typeof description === 'string' ? description : ''}`,
      serverId: server,
      arguments: (Array.isArray(declared) ? (declared as readonly Json[]) : []).flatMap(toArgument),
    }
  })
}

function toArgument(declared: Json): McpSkill['arguments'] {
  if (!isObject(declared) || typeof declared['name'] !== 'string') return []
  const { name, description, required } = declared
  return [
    {
      name,
      ...(typeof description === 'string' && { description }),
      ...(typeof required === 'boolean' && { required }),
    },
  ]
}

export async function readSkill(view: View, name: string, args: Arguments = {}): Promise<string> {
  const found = skillsOf(view).find((skill) => skill.name === name)
  if (!found) throw new HostError('usage', {}, `There is no skill "${name}".`)
  const prompt = name.slice(found.serverId.length + 2)
  return renderPrompt(await view.prompt(found.serverId, prompt, args), renderDispatch)
}
