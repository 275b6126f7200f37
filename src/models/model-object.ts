/** A model object of the AI SDK 5 or 6. Declared by its shape, so that a program needs no types of `ai`. */
export interface LanguageModelObject {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doStream(options: never): PromiseLike<object>
}
