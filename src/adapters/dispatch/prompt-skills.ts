import { renderPrompt } from '../../calls/resources/prompt-messages.ts'
import type { Json, View } from '../../index.ts'
import { HostError } from '../../model/error.ts'
import { promptMark } from '../../model/finding.ts'
import { isObject } from '../../model/json.ts'
import { renderDispatch } from './tool-contracts.ts'
import type { McpSkill } from './mcp-service.ts'

type Arguments = Readonly<Record<string, string>>

interface ReadableSkill extends McpSkill {
  /** Its text for a model. */
  readonly read: (args: Arguments) => Promise<string>
}

/** D21: the prompts visible in a conversation as skills, and the skills that servers offer as such. */
export function skillsOf(view: View): readonly McpSkill[] {
  return readableSkills(view).map(({ read: _read, ...skill }) => skill)
}

export async function readSkill(view: View, name: string, args: Arguments = {}): Promise<string> {
  const found = readableSkills(view).find((skill) => skill.name === name)
  if (!found) throw new HostError('usage', {}, `There is no skill "${name}".`)
  return found.read(args)
}

/** A prompt keeps its name; a skill of the same name gets a suffix, and one whose name is taken even so is left out. */
function readableSkills(view: View): readonly ReadableSkill[] {
  const byName = new Map(promptSkills(view).map((skill) => [skill.name, skill]))
  for (const { ref, server, name, description } of view.skills()) {
    const plain = `${server}__${name}`
    const free = [plain, `${plain}__skill`].find((each) => !byName.has(each))
    if (free === undefined) continue
    byName.set(free, {
      name: free,
      description: `[${server}] ${description}`,
      serverId: server,
      arguments: [],
      // A person is asked, and the text is verified, scanned and marked with its server.
      read: async () => (await view.loadSkill(ref)).text,
    })
  }
  return [...byName.values()]
}

function promptSkills(view: View): readonly ReadableSkill[] {
  return view.prompts().flatMap(({ server, prompt }) => {
    const { name, description, arguments: declared } = prompt
    if (typeof name !== 'string') return []
    return {
      name: `${server}__${name}`,
      description: `[${server}] ${typeof description === 'string' ? description : ''}`,
      serverId: server,
      arguments: (Array.isArray(declared) ? (declared as readonly Json[]) : []).flatMap(toArgument),
      async read(args) {
        const filled = await view.prompt(server, name, args)
        return `${promptMark(filled)}${renderPrompt(filled, renderDispatch)}`
      },
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
