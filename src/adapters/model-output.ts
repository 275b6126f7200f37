import type { CallResult, Provider } from '../index.ts'
import { imagesOf } from './result-images.ts'
import type { Image } from './result-images.ts'

/** The providers for which images are parts of a result unless the program says otherwise. */
export const takesImages: ReadonlySet<Provider> = new Set(['anthropic', 'gemini'])

/** How an image is written: the AI SDK 7 warns about the form of the AI SDK 6. */
export type ImageForm = 'file' | 'image-data'

/** A result in the form that the AI SDK, and Mastra which follows it, pass on to a model. */
export function toModelOutput(result: CallResult, images: boolean, form: ImageForm) {
  const { text, failed } = result
  if (failed) return { type: 'error-text' as const, value: text }
  const found = images ? imagesOf(result) : []
  if (found.length === 0) return { type: 'text' as const, value: text }
  return {
    type: 'content' as const,
    value: [
      { type: 'text' as const, text },
      ...found.map((image) => (form === 'file' ? toFile(image) : { type: 'image-data' as const, ...image })),
    ],
  }
}

function toFile({ mediaType, data }: Image): never {
  return { type: 'file', mediaType, data: { type: 'data', data } } as never // unknown to the types of the AI SDK 6
}
