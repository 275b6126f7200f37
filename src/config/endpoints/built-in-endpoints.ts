/** Which API an endpoint of models speaks. */
export const endpointKinds = ['openai', 'openai-compatible', 'anthropic', 'google'] as const
export type EndpointKind = (typeof endpointKinds)[number]

/** An endpoint that needs no settings. */
export interface BuiltInEndpoint {
  readonly title: string
  readonly kind: EndpointKind
  readonly url: string
  /** The variables that hold its key, the first that is set counts; none if it needs no key. */
  readonly keyVariables: readonly string[]
  /** For a program on this machine: how to start it. */
  readonly start?: string
}

export const builtInEndpoints: Readonly<Record<string, BuiltInEndpoint>> = {
  openai: {
    title: 'OpenAI',
    kind: 'openai',
    url: 'https://api.openai.com/v1',
    keyVariables: ['OPENAI_API_KEY'],
  },
  anthropic: {
    title: 'Anthropic',
    kind: 'anthropic',
    url: 'https://api.anthropic.com/v1',
    keyVariables: ['ANTHROPIC_API_KEY'],
  },
  google: {
    title: 'Google',
    kind: 'google',
    url: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  },
  ollama: {
    title: 'Ollama',
    kind: 'openai-compatible',
    url: 'http://127.0.0.1:11434/v1',
    keyVariables: [],
    start: 'ollama serve',
  },
  lmstudio: {
    title: 'LM Studio',
    kind: 'openai-compatible',
    url: 'http://127.0.0.1:1234/v1',
    keyVariables: [],
    start: 'lms server start',
  },
  llamacpp: {
    title: 'llama.cpp',
    kind: 'openai-compatible',
    url: 'http://127.0.0.1:8080/v1',
    keyVariables: [],
    start: 'llama-server -m FILE --jinja',
  },
  vllm: {
    title: 'vLLM',
    kind: 'openai-compatible',
    url: 'http://127.0.0.1:8000/v1',
    keyVariables: [],
    start: 'vllm serve MODEL',
  },
}

/** The addresses that a kind has if the settings name none; a compatible endpoint must name its own. */
export const usualUrls: Readonly<Partial<Record<EndpointKind, string>>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
}
