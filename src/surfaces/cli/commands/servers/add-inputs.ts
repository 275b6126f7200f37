import type { Answers } from '../../../../config.ts'
import { HostError } from '../../../../index.ts'
import type { Input } from '../../../../index.ts'
import { isInteractive, parseAnswer, promptsOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { usage } from '../../errors.ts'

export interface InputAnswers {
  readonly answers: Answers
  /** Environment variables the user must set: they stand for secrets that were not given. */
  readonly variables: readonly string[]
}

/**
 * The values of a server's inputs: from the command line, from a prompt, or the default. A secret is never written to a
 * file; the entry refers to a variable of that name instead.
 */
export async function answerInputs(
  cli: Cli,
  inputs: readonly Input[],
  given: readonly string[],
): Promise<InputAnswers | undefined> {
  checkKnown(inputs, given)
  const named: Readonly<Record<string, string>> = Object.fromEntries(given.map(parseAnswer))
  const answers: Record<string, string | readonly string[]> = {}
  const missing: string[] = []
  for (const input of inputs) {
    const answer =
      named[input.id] ??
      named[bare(input.id)] ??
      (input.secret ? variableFor(input.id) : await ask(cli, input))
    if (answer === cancelled) return undefined
    if (answer !== undefined)
      answers[input.id] = input.multiple && typeof answer === 'string' ? answer.split(',') : answer
    else if (input.required) missing.push(input.id)
  }
  if (missing.length === 0) return { answers, variables: variablesIn(inputs, answers) }
  throw new HostError(
    'value.unresolved',
    { server: '', names: missing },
    `It needs values for ${missing.join(', ')}.`,
    {
      hint: `Pass them: ${missing.map((id) => `--input ${bare(id)}=…`).join(' ')}`,
    },
  )
}

function checkKnown(inputs: readonly Input[], given: readonly string[]): void {
  const ids = inputs.map(({ id }) => bare(id))
  const unknown = given.map((item) => parseAnswer(item)[0]).find((id) => !ids.includes(bare(id)))
  if (unknown === undefined) return
  const hint = ids.length > 0 ? `Its inputs are ${ids.join(', ')}.` : 'It has no inputs; leave out --input.'
  throw usage(`It has no input "${unknown}".`, hint)
}

function variablesIn(inputs: readonly Input[], answers: Answers): readonly string[] {
  return inputs
    .filter(({ id, secret }) => secret && answers[id] === variableFor(id))
    .map(({ id }) => variableFor(id).slice(2, -1))
}

/** An input id may be the option it fills, such as `--city`; the dashes are dropped so that it is not taken for our flag. */
function bare(id: string): string {
  return id.replace(/^-+/, '')
}

const cancelled = Symbol('cancelled')

async function ask(
  cli: Cli,
  input: Input,
): Promise<string | readonly string[] | typeof cancelled | undefined> {
  const fallback = defaultOf(input)
  if (!isInteractive(cli)) return fallback
  const message = input.description ?? input.id
  const prompts = promptsOf(cli)
  const shown = typeof fallback === 'object' ? fallback.join(',') : fallback
  const initial = shown === undefined ? {} : { initial: shown }
  const answer = input.choices
    ? await prompts.select({ message, choices: input.choices.map((value) => ({ value })), ...initial })
    : await prompts.text({ message, ...initial })
  if (answer.cancelled) return cancelled
  return answer.value === '' ? fallback : answer.value
}

function defaultOf({ default: value }: Input): string | readonly string[] | undefined {
  if (Array.isArray(value)) return (value as readonly unknown[]).map(String)
  if (value === undefined || value === null) return undefined
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function variableFor(id: string): string {
  return `\${${id
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .toUpperCase()}}`
}
