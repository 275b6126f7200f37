import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Input } from '../../model/server.ts'
import type { SettleContext } from '../entries/client-dialect.ts'
import { looksSecret } from '../entries/literal-secrets.ts'
import type { OpenFile, Report } from '../source.ts'

/** Reads the `inputs` of an editor's file: values that the user enters. Each server gets the inputs that it refers to. */
export function applyInputs({ drafts, files, report }: SettleContext): void {
  const declared = new Map(files.map((file) => [file.path, readInputs(file, report)]))
  for (const draft of drafts) {
    const ids = new Set(draft.declared.flatMap(({ entry }) => referredIn(entry)))
    const needed = (declared.get(draft.file.path) ?? []).filter(({ input }) => ids.has(input.id))
    const [first] = needed
    if (!first) continue
    draft.inputs = needed.map(({ input }) => input)
    const names = needed.map(({ input }) => (input.secret ? `${input.id} (secret)` : input.id))
    report.add('needs-input', 'warn', `${names.join(' and ')} must be entered before the server starts.`, {
      file: draft.file,
      pointer: needed.length > 1 ? '/inputs' : `/inputs/${first.index}`,
      server: draft.name,
    })
  }
}

interface Declaration {
  readonly input: Input
  readonly index: number
}

function readInputs(file: OpenFile, report: Report): readonly Declaration[] {
  const { value, errors } = file.doc
  const list = isObject(value) && errors.length === 0 ? (value['inputs'] ?? undefined) : undefined
  if (list === undefined) return []
  if (!Array.isArray(list)) {
    report.add('wrong-type', 'warn', '"inputs" must be a list. It is ignored.', { file, pointer: '/inputs' })
    return []
  }
  const items = list as readonly Json[] // Array.isArray does not narrow a readonly union
  return items.flatMap((item, index) => {
    if (isObject(item) && typeof item['id'] === 'string') return [{ input: toInput(item['id'], item), index }]
    const pointer = `/inputs/${index}`
    report.add('wrong-type', 'warn', 'An input must be an object with an "id". It is ignored.', {
      file,
      pointer,
    })
    return []
  })
}

function toInput(id: string, item: JsonObject): Input {
  const { description, password, options, default: preset } = item
  return {
    id,
    ...(typeof description === 'string' && { description }),
    ...(password === true && { secret: true }),
    ...(Array.isArray(options) && { choices: (options as readonly Json[]).flatMap(toChoice) }), // as above
    ...(preset !== undefined && preset !== null && { default: preset }),
  }
}

/** The inverse of `toInput`. The default of a secret input is not copied. */
export function toDefinition({ id, description, secret, choices, default: preset }: Input): JsonObject {
  const isSecret = secret === true || (typeof preset === 'string' && looksSecret(id, preset))
  return {
    id,
    type: choices ? 'pickString' : 'promptString',
    description: description ?? id,
    ...(secret && { password: true }),
    ...(choices && { options: choices }),
    ...(preset !== undefined && !isSecret && { default: preset }),
  }
}

/** The ids of all `${input:id}` in a value. */
export function referredIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [...value.matchAll(/\$\{input:([^}]+)\}/g)].map(([, id]) => id ?? '')
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((item) => referredIn(item))
}

/** An option is a plain value, or an object with a value or a label. */
function toChoice(option: Json): readonly string[] {
  const value = isObject(option) ? (option['value'] ?? option['label']) : option
  return typeof value === 'string' ? [value] : []
}
