import type { QuestionDesk, QuestionDeskOptions } from '../../agent.ts'
import type { OwnStore, OwnStoreOptions } from '../../store.ts'

/** What a terminal gives to a desk: its prompts, and what it knows about the questions. */
export type DeskParts = Pick<QuestionDeskOptions, 'local' | 'refuse' | 'placeOf'>

/** The part of a desk that a host needs. */
export type HostDesk = Pick<QuestionDesk, 'approve' | 'elicit' | 'approveSample'>

/** Where the person's own store is looked for. */
type OwnWorld = Pick<OwnStoreOptions, 'cwd' | 'platform'>

interface SharedDeskOptions {
  readonly discover: OwnWorld
  readonly redact: (text: string) => string
  /** Registers something to close when the shell ends. */
  readonly closeOnEnd: (thing: { close(): Promise<void> }) => void
}

/**
 * A desk on the person's own store, so that another terminal can answer too. Opened with the first question: most shells ask
 * none. A shell has no conversation that goes on later, so its questions end with it.
 */
export function createSharedDesk(
  parts: DeskParts,
  { discover, redact, closeOnEnd }: SharedDeskOptions,
): HostDesk {
  let store: Promise<OwnStore> | undefined
  let desk: Promise<QuestionDesk> | undefined
  const openStore = async () => {
    const { openOwnStore } = await import('../../store.ts')
    return openOwnStore({ ...discover, redact })
  }
  const open = async () => {
    const { createQuestionDesk } = await import('../../agent.ts')
    const opened = createQuestionDesk({
      ...parts,
      questions: async () => (await (store ??= openStore())).store?.questions,
    })
    closeOnEnd({
      async close() {
        await opened.close()
        await (await store?.catch(() => undefined))?.store?.close()
      },
    })
    return opened
  }
  return {
    approve: async (...question) => (await (desk ??= open())).approve(...question),
    elicit: async (...question) => (await (desk ??= open())).elicit(...question),
    approveSample: async (...question) => (await (desk ??= open())).approveSample(...question),
  }
}

/** Tells how many questions of other programs wait for an answer; a failure tells nothing, because nothing was asked for. */
export async function notifyPending(discover: OwnWorld, notify: (text: string) => void): Promise<void> {
  const { openOwnStore } = await import('../../store.ts')
  const { store } = await openOwnStore({ ...discover, mayCreate: false })
  if (!store) return
  try {
    await store.questions.expireLeft()
    const { length } = await store.questions.list({ state: 'pending' })
    if (length > 0)
      notify(`${length === 1 ? 'A question waits' : `${length} questions wait`} for your answer: questions`)
  } finally {
    await store.close()
  }
}
