import { removeHidden } from '../model/hidden.ts'
import type { Mask } from '../model/mask-texts.ts'
import type { CallOptions } from './view/view.ts'

/** The same options; who hears of progress hears a server's words without secrets and what is hidden in them (T17). */
export function hearingClean<T extends Pick<CallOptions, 'onProgress'>>(options: T, mask: Mask): T {
  const { onProgress } = options
  if (!onProgress) return options
  return {
    ...options,
    onProgress(progress: Parameters<typeof onProgress>[0]) {
      const { message } = progress
      onProgress(message === undefined ? progress : { ...progress, message: shown(message, mask) })
    },
  }
}

/** A short text of a server, as a person sees it. */
export function shown(text: string, mask: Mask): string {
  return mask(removeHidden(text).text)
}
