import type { Field } from '../../../../src/client.ts'
import type { Json } from '../../../../src/model/json.ts'
import { draftOf, emptyDraft } from '../../parts/form-draft.ts'
import type { Draft } from '../../parts/form-draft.ts'

/** What is kept of a tool that was opened: it survives a crash of its server, navigation and reload. */
export interface KeptTool {
  readonly draft: Draft
  /** What the draft replaced: of a link, an example or an earlier call. It can be taken back. */
  readonly before?: Draft
  /** The fields that the draft was written for. */
  readonly fields?: FieldKinds
  /** The arguments of the address that were taken already; edits since then count more. */
  readonly taken?: string
  /** The call that was made last. */
  readonly call?: string
}

type FieldKinds = Readonly<Record<string, string>>

const prefix = 'plugboard.tool.'
const maxKept = 100

export const newTool: KeptTool = { draft: emptyDraft }

export function readKept(storage: Storage, ref: string): KeptTool {
  try {
    const stored = JSON.parse(storage.getItem(prefix + ref) ?? 'null') as KeptTool | null // written below
    return stored?.draft?.texts && stored.draft.chosen ? stored : newTool
  } catch {
    return newTool
  }
}

/** Keeps a draft; without room, older ones make place. */
export function keepTool(storage: Storage, ref: string, kept: KeptTool): void {
  const key = prefix + ref
  storage.removeItem(key)
  const keys = () => Object.keys(storage).filter((each) => each.startsWith(prefix))
  for (const old of keys().slice(0, -maxKept)) storage.removeItem(old)
  for (;;) {
    try {
      storage.setItem(key, JSON.stringify(kept))
      return
    } catch {
      const [oldest] = keys()
      if (oldest === undefined) return
      storage.removeItem(oldest)
    }
  }
}

/** Replaces the draft by arguments from elsewhere. What was there can be taken back, if it was anything. */
export function replaceDraft(kept: KeptTool, args: Json | undefined): KeptTool {
  const { before: _older, ...rest } = kept
  const isEmpty = kept.draft.value === undefined && Object.keys(kept.draft.texts).length === 0
  return { ...rest, draft: draftOf(args), ...(!isEmpty && { before: kept.draft }) }
}

/** Takes the arguments of an address once: after a reload, what was edited since counts. */
export function takeArguments(kept: KeptTool, text: string | undefined): KeptTool {
  if (text === undefined || text === kept.taken) return kept
  try {
    return { ...replaceDraft(kept, JSON.parse(text) as Json), taken: text } // the result of JSON.parse
  } catch {
    return { ...replaceDraft(kept, undefined), draft: { ...emptyDraft, texts: { '': text } }, taken: text }
  }
}

/** The fields of a form as they are compared with those of a later schema. */
export function fieldKinds(form: Field): FieldKinds {
  const fields = form.kind === 'object' ? form.fields : []
  return Object.fromEntries(
    fields.map((field) => [field.name, `${field.kind}${field.isRequired ? '!' : ''}`]),
  )
}

/** What a changed schema means for a form that is in use: `1 argument is new: labels`. */
export function schemaChange(before: FieldKinds | undefined, after: FieldKinds): string | undefined {
  if (!before) return undefined
  const kind = (text: string | undefined) => text?.replace('!', '')
  const names = (list: readonly string[], words: string) =>
    list.length === 0
      ? []
      : [`${list.length} ${list.length === 1 ? `argument is` : 'arguments are'} ${words}: ${list.join(', ')}`]
  const all = Object.keys(after)
  const known = all.filter((name) => Object.hasOwn(before, name))
  const changes = [
    ...names(
      all.filter((name) => !Object.hasOwn(before, name)),
      'new',
    ),
    ...names(
      Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
      'gone',
    ),
    ...names(
      known.filter((name) => kind(before[name]) !== kind(after[name])),
      'of another kind',
    ),
    ...names(
      known.filter((name) => !before[name]?.endsWith('!') && after[name]?.endsWith('!')),
      'required now',
    ),
  ]
  return changes.length === 0 ? undefined : `The schema changed: ${changes.join('; ')}.`
}
