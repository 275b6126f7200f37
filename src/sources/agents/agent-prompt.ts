import type { Diagnostic } from '../../model/diagnostic.ts'
import { removeHidden } from '../../model/hidden.ts'
import type { AgentDraft } from './agent-draft.ts'
import { isBlank, unquote } from './agent-fields.ts'
import type { Field } from './agent-fields.ts'
import { withoutComment } from './agent-tool-list.ts'

/** About 64,000 tokens, sent with every request of the agent. A longer text is no prompt. */
export const maxPromptBytes = 256 * 1024

interface CheckedPrompt {
  readonly prompt?: string
  readonly problem?: Diagnostic
}

/**
 * The prompt without its outer blank lines. One that is too large is left out whole, because half of it could mean the
 * opposite. Invisible characters are removed: a person who reads the file would not see what they tell the model.
 */
export function checkPrompt({ prompt = '', name, place, line }: AgentDraft): CheckedPrompt {
  const written = prompt.trim()
  if (written === '') return {}
  const origin = { file: place.path, line }
  if (Buffer.byteLength(written) > maxPromptBytes)
    return {
      problem: {
        code: 'out-of-range',
        severity: 'warn',
        message: `The prompt of the agent "${name}" is larger than ${maxPromptBytes / 1024} KiB; it is not used.`,
        hint: 'Move parts of it into files that the agent reads when it needs them.',
        origin,
      },
    }
  const { text, removed } = removeHidden(written)
  if (removed.length === 0) return { prompt: text }
  const message = `The prompt of the agent "${name}" contains ${removed.join(' and ')}; they are removed.`
  return {
    ...(text.trim() !== '' && { prompt: text.trim() }),
    problem: { code: 'hidden-characters', severity: 'warn', message, origin },
  }
}

const maxModelName = 200

interface CheckedModel {
  readonly model?: string
  readonly problem?: Diagnostic
}

export function checkModel({ model, name, place, line }: AgentDraft): CheckedModel {
  if (model === undefined || model === '') return {}
  if (model.length <= maxModelName && removeHidden(model).removed.length === 0) return { model }
  return {
    problem: {
      code: 'wrong-type',
      severity: 'warn',
      message: `The model of the agent "${name}" is not a name of at most ${maxModelName} visible characters; it is not used.`,
      origin: { file: place.path, line },
    },
  }
}

/** `model: name`, or the first of a list: Copilot accepts several, the preferred one first. */
export function modelIn(field: Field | undefined): string | undefined {
  if (!field) return undefined
  const own = withoutComment(field.value)
  const [first] = field.below.filter((line) => !isBlank(line))
  const item = own === '' ? withoutComment(first?.text ?? '').replace(/^-\s*/, '') : own
  return unquote((item.startsWith('[') ? (/[^,\]]*/.exec(item.slice(1))?.[0] ?? '') : item).trim())
}
