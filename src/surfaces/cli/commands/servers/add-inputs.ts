import type { Answers, Offer, SecretVariable } from '../../../../config.ts'
import { HostError } from '../../../../index.ts'
import type { Input } from '../../../../index.ts'
import { initialAnswer } from '../../../../internal.ts'
import { isInteractive, parseAnswer, promptsOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { usage } from '../../errors.ts'

export interface InputAnswers {
  readonly answers: Answers
  /** Variables that secrets without an answer are read from. */
  readonly variables: readonly SecretVariable[]
  /** The inputs without a value; what they would complete is not in the entry. */
  readonly leftOut: readonly string[]
}

/**
 * The values of a server's inputs: from the command line, from a prompt, or the default. A secret is never asked for: the
 * entry refers to an environment variable instead.
 */
export async function answerInputs(
  cli: Cli,
  { inputs, variables }: Pick<Offer, 'inputs' | 'variables'>,
  given: readonly string[],
): Promise<InputAnswers | undefined> {
  checkKnown(inputs, given)
  const named = readGiven(inputs, given)
  const answers: Record<string, string | readonly string[]> = {}
  const missing: string[] = []
  const leftOut: string[] = []
  for (const input of inputs) {
    const { id } = input
    const isRead = variables.some((variable) => variable.id === id)
    const answer = named.get(bare(id)) ?? (isRead || input.secret ? undefined : await ask(cli, input))
    if (answer === cancelled) return undefined
    if (answer !== undefined)
      answers[id] = input.multiple && typeof answer === 'string' ? answer.split(',') : answer
    else if (input.required && !isRead) missing.push(id)
    else if (!isRead) leftOut.push(bare(id))
  }
  const isUnanswered = ({ id }: SecretVariable) => !Object.hasOwn(answers, id)
  if (missing.length === 0) return { answers, variables: variables.filter(isUnanswered), leftOut }
  throw new HostError(
    'value.unresolved',
    { server: '', names: missing },
    `It needs values for ${missing.join(', ')}.`,
    {
      hint: `Pass them: ${missing.map((id) => `--input ${bare(id)}=…`).join(' ')}`,
    },
  )
}

/** The values of `--input` by id. A list takes several, also separated by commas; other inputs take one. */
function readGiven(
  inputs: readonly Input[],
  given: readonly string[],
): ReadonlyMap<string, string | readonly string[]> {
  const read = new Map<string, string | readonly string[]>()
  for (const [typed, value] of given.map(parseAnswer)) {
    const id = bare(typed)
    const former = read.get(id)
    const isList = inputs.some((input) => bare(input.id) === id && input.multiple)
    if (former !== undefined && !isList) throw usage(`--input ${id} was given twice, and it takes one value.`)
    read.set(id, isList ? [former ?? [], value.split(',')].flat() : value)
  }
  return read
}

function checkKnown(inputs: readonly Input[], given: readonly string[]): void {
  const ids = inputs.map(({ id }) => bare(id))
  const unknown = given.map((item) => parseAnswer(item)[0]).find((id) => !ids.includes(bare(id)))
  if (unknown === undefined) return
  const hint = ids.length > 0 ? `Its inputs are ${ids.join(', ')}.` : 'It has no inputs; leave out --input.'
  throw usage(`It has no input "${unknown}".`, hint)
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
  const fallback = initialAnswer(input)
  if (!isInteractive(cli)) return fallback
  const message = input.question ?? input.description ?? input.id
  const prompts = promptsOf(cli)
  const shown = typeof fallback === 'object' ? fallback.join(',') : fallback
  const initial = shown === undefined ? {} : { initial: shown }
  const isNeeded = input.required === true && fallback === undefined
  const answer = input.choices
    ? await prompts.select({ message, choices: choicesOf(input, isNeeded), ...initial })
    : await prompts.text({
        message: isNeeded || fallback !== undefined ? message : `${message} (Enter for none)`,
        validate: (text) => (isNeeded && text.trim() === '' ? 'Enter a value.' : undefined),
        ...initial,
      })
  if (answer.cancelled) return cancelled
  return answer.value === '' ? fallback : answer.value
}

function choicesOf({ choices = [], ...input }: Input, isNeeded: boolean) {
  const all = choices.map((value) => ({ value }))
  return isNeeded || initialAnswer(input) !== undefined ? all : [...all, { value: '', label: 'none' }]
}
