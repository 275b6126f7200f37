import { describeEntry } from '../../../../config.ts'
import type { NewServer, Offer } from '../../../../config.ts'
import type { JsonObject } from '../../../../index.ts'
import { problemWithName, splitCommand } from '../../../../internal.ts'
import type { Answer, Prompts } from '../../../terminal/terminal-prompts.ts'
import { promptsOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { checkUrl } from './add-arguments.ts'
import { describeChoice } from './add-notes.ts'
import type { AddFlags } from './add.ts'
import { editOptions } from './edit-report.ts'

/** Asks for a server step by step. A cancelled question ends it, and nothing is written. */
export async function askForServer(
  cli: Cli,
  flags: AddFlags,
  given?: string,
): Promise<NewServer | undefined> {
  const prompts = promptsOf(cli)
  const name = given ?? valueOf(await prompts.text({ message: 'What is it called?', validate: checkName }))
  if (name === undefined) return undefined
  const kind = valueOf(
    await prompts.select({
      message: 'How do you connect to it?',
      choices: [
        { value: 'stdio', label: 'a program on this machine' },
        { value: 'http', label: 'a URL', hint: 'Streamable HTTP' },
        { value: 'sse', label: 'a URL of the older kind', hint: 'HTTP+SSE' },
      ],
    }),
  )
  if (kind === undefined) return undefined
  const entry = kind === 'stdio' ? await askForProgram(prompts) : await askForAddress(prompts, kind)
  return entry && describeEntry(name, entry, editOptions(cli, flags))
}

async function askForProgram(prompts: Prompts): Promise<JsonObject | undefined> {
  const line = valueOf(
    await prompts.text({
      message: 'Which command starts it?',
      placeholder: 'npx -y some-mcp@1.0.0',
      validate: (text) => (text.trim() === '' ? 'Enter a command.' : undefined),
    }),
  )
  if (line === undefined) return undefined
  const [command = '', ...args] = splitCommand(line)
  const env = await askForPairs(
    prompts,
    'Environment variables, as NAME=value separated by spaces (Enter for none)',
  )
  if (env === undefined) return undefined
  return { command, ...(args.length > 0 && { args }), ...(Object.keys(env).length > 0 && { env }) }
}

async function askForAddress(prompts: Prompts, type: string): Promise<JsonObject | undefined> {
  const url = valueOf(
    await prompts.text({
      message: 'What is its URL?',
      placeholder: 'https://example.com/mcp',
      validate: (text) => (checkUrl(text) === undefined ? undefined : 'Enter a full URL.'),
    }),
  )
  if (url === undefined) return undefined
  const variable = valueOf(
    await prompts.text({
      message: 'Name of the variable that holds its token (Enter for none)',
      validate: checkVariable,
    }),
  )
  if (variable === undefined) return undefined
  return { type, url, ...(variable !== '' && { headers: { Authorization: `Bearer \${${variable}}` } }) }
}

async function askForPairs(prompts: Prompts, message: string): Promise<Record<string, string> | undefined> {
  const line = valueOf(
    await prompts.text({
      message,
      validate: (text) =>
        splitCommand(text).every((pair) => /^[^=]+=/.test(pair)) ? undefined : 'Enter NAME=value.',
    }),
  )
  if (line === undefined) return undefined
  return Object.fromEntries(
    splitCommand(line).map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
}

export async function chooseOffer(cli: Cli, offers: readonly Offer[]): Promise<Offer | undefined> {
  const chosen = valueOf(
    await promptsOf(cli).select({
      message: 'Which one?',
      choices: offers.map(({ server }, index) => ({
        value: String(index),
        label: `${server.name}: ${describeChoice(server)}`,
      })),
    }),
  )
  return chosen === undefined ? undefined : offers[Number(chosen)]
}

function valueOf<Value>(answer: Answer<Value>): Value | undefined {
  return answer.cancelled ? undefined : answer.value
}

function checkName(text: string): string | undefined {
  const problem = problemWithName(text)
  return problem === undefined ? undefined : `Choose another name: ${problem}`
}

function checkVariable(text: string): string | undefined {
  return text === '' || /^[A-Za-z_]\w*$/.test(text) ? undefined : 'Enter the name of a variable, without "$".'
}
