import { NameTable } from '../../catalog/tool-names.ts'
import type { NameClaim } from '../../catalog/tool-names.ts'
import { promptArguments } from './prompt-messages.ts'
import { HostError } from '../../model/error.ts'
import { removeHidden } from '../../model/hidden.ts'
import type { JsonObject } from '../../model/json.ts'
import { nearest } from '../../model/near.ts'
import { toRef } from '../../model/tool.ts'
import { waitForCatalog } from '../view/view-context.ts'
import type { ViewContext } from '../view/view-context.ts'
import type { OfferedPrompt, PromptCommand, View } from '../view/view.ts'

interface Named extends NameClaim {
  readonly offered: JsonObject
}

/** Prompts as slash commands. What a name stands for is looked up, never read out of it. */
export function createCommands(
  context: ViewContext,
  { prompts, prompt }: Pick<View, 'prompts' | 'prompt'>,
): Pick<View, 'commands' | 'command'> {
  const named = () => toNamed(prompts())
  return {
    commands: () => named().map(toCommand),
    async command(name, args, options) {
      const isKnown = named().some((each) => each.name === name)
      if (!isKnown) await waitForCatalog(context, { method: 'prompts/get', signal: options?.signal })
      const all = named()
      const found = all.find((each) => each.name === name)
      if (found) return prompt(found.server, found.tool, args, options)
      const near = nearest(
        name,
        all.map((each) => each.name),
      )
      const hint = near.length > 0 ? { hint: `Did you mean ${near.join(' or ')}?` } : {}
      throw new HostError('usage', {}, `There is no command ${JSON.stringify(name)}.`, hint)
    },
  }
}

function toNamed(prompts: readonly OfferedPrompt[]): readonly Named[] {
  const names = new NameTable<Named>()
  // A prompt that is listed twice is one.
  const seen = new Set<string>()
  const claims = prompts.flatMap(({ server, prompt }) => {
    const { name } = prompt
    if (typeof name !== 'string' || seen.has(toRef(server, name))) return []
    seen.add(toRef(server, name))
    const plain = `/${fold(server)}:${fold(name)}`
    return [{ server, tool: name, plain, isExact: plain === `/${server}:${name}`, name: '', offered: prompt }]
  })
  for (const claim of claims) names.add(claim)
  return claims
}

/** Letters of any writing, digits and `._-`: one word that can be typed. */
function fold(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
}

function toCommand({ name, server, tool, offered }: Named): PromptCommand {
  const { title, description } = offered
  return {
    name,
    server,
    prompt: tool,
    ...(typeof title === 'string' && { title: removeHidden(title).text }),
    description: typeof description === 'string' ? removeHidden(description).text : '',
    arguments: promptArguments(offered).map((argument) => ({
      ...argument,
      ...(argument.description !== undefined && { description: removeHidden(argument.description).text }),
    })),
  }
}
