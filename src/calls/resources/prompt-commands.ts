import { NameTable } from '../../catalog/tool-names.ts'
import type { NameClaim } from '../../catalog/tool-names.ts'
import { promptArguments } from './prompt-messages.ts'
import { HostError } from '../../model/error.ts'
import { removeHidden } from '../../model/hidden.ts'
import type { JsonObject } from '../../model/json.ts'
import { nearest } from '../../model/near.ts'
import { toRef } from '../../model/tool.ts'
import type { Clock } from '../../platform/platform.ts'
import type { OfferedPrompt, PromptCommand, View } from '../view/view.ts'
import { beforeSending, withDeadline } from '../view/wait-for-servers.ts'
import type { ServerWaits, StartedOptions } from '../view/wait-for-servers.ts'

interface NamedPrompt extends NameClaim {
  readonly offered: JsonObject
}

interface CommandsScope {
  readonly waits: ServerWaits
  readonly clock: Clock
  /** Why the prompts of one of these servers are unknown. */
  readonly errorOf: (isMeant: (server: string) => boolean) => HostError | undefined
}

/** Prompts as slash commands. A command is looked up by its whole name; the name is never split into server and prompt. */
export function createCommands(
  { prompts, prompt }: Pick<View, 'prompts' | 'prompt'>,
  { waits, errorOf, clock }: CommandsScope,
): Pick<View, 'commands' | 'command'> {
  const namedPrompts = () => assignNames(prompts())
  const mayOwn = (name: string) => (server: string) => name.startsWith(`/${toWord(server)}:`)
  const waitForOwner = (name: string, options: StartedOptions) => {
    const waited = waits.forOwner(mayOwn(name), { signal: options.signal })
    return beforeSending(waited, { ...options, method: 'prompts/get', clock })
  }
  return {
    commands: () => namedPrompts().map(toCommand),
    async command(name, args, given = {}) {
      const options = withDeadline(given, clock)
      const isKnown = namedPrompts().some((each) => each.name === name)
      if (!isKnown) await waitForOwner(name, options)
      const all = namedPrompts()
      const found = all.find((each) => each.name === name)
      if (found) return prompt(found.server, found.tool, args, options)
      const error = errorOf(mayOwn(name))
      if (error) throw error
      const near = nearest(
        name,
        all.map((each) => each.name),
      )
      const hint = near.length > 0 ? { hint: `Did you mean ${near.join(' or ')}?` } : {}
      throw new HostError('usage', {}, `There is no command ${JSON.stringify(name)}.`, hint)
    },
  }
}

function assignNames(prompts: readonly OfferedPrompt[]): readonly NamedPrompt[] {
  const names = new NameTable<NamedPrompt>()
  // A server may list a prompt twice.
  const seen = new Set<string>()
  const claims = prompts.flatMap(({ server, prompt }) => {
    const { name } = prompt
    if (typeof name !== 'string' || seen.has(toRef(server, name))) return []
    seen.add(toRef(server, name))
    const plain = `/${toWord(server)}:${toWord(name)}`
    return [{ server, tool: name, plain, isExact: plain === `/${server}:${name}`, name: '', offered: prompt }]
  })
  for (const claim of claims) names.add(claim)
  return claims
}

/** Replaces everything but letters of any script, digits and `._-`, so that the result is one word that can be typed. */
function toWord(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
}

function toCommand({ name, server, tool, offered }: NamedPrompt): PromptCommand {
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
