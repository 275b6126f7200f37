import { buildCommand, buildRouteMap, loadLazily } from '../../arguments/define-command.ts'
import { commonFlags, switchFlag, textFlag, textsFlag, waitFlags } from '../../arguments/flags.ts'
import { endpointArgument, modelArgument, optional, textArgument } from '../../arguments/positionals.ts'
import type { Cli, CommonFlags } from '../../command-context.ts'
import type { AddModelFlags, ModelFlags } from './models.ts'

const waiting = { ...commonFlags, timeout: waitFlags.timeout } as const

export const modelsCommand = buildRouteMap<'list' | 'add' | 'use' | 'remove' | 'test', Cli>({
  defaultCommand: 'list',
  routes: {
    list: buildCommand<ModelFlags, [string?], Cli>({
      loader: loadLazily(async () => (await import('./models.ts')).models),
      parameters: {
        flags: waiting,
        positional: { kind: 'tuple', parameters: [optional(endpointArgument)] },
      },
      docs: { brief: 'List the endpoints of models and what each offers' },
    }),
    add: buildCommand<AddModelFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./models.ts')).addModels),
      parameters: {
        flags: {
          ...commonFlags,
          kind: {
            kind: 'enum',
            values: ['openai', 'openai-compatible', 'anthropic', 'google'],
            optional: true,
            brief: 'The API that it speaks',
          },
          url: textFlag('URL', 'Its address, such as http://127.0.0.1:8000/v1'),
          key: textFlag('REF', "Where its key is: '${env:NAME}', '${keychain:…}' or '!command'"),
          api: {
            kind: 'enum',
            values: ['responses', 'chat'],
            optional: true,
            brief: 'Which API of OpenAI (default responses)',
          },
          header: textsFlag('K=V', 'HTTP header of each request; may be repeated'),
          force: switchFlag('Change an endpoint that your settings have already'),
        },
        positional: { kind: 'tuple', parameters: [textArgument('NAME', 'the name of the endpoint')] },
      },
      docs: { brief: 'Add an endpoint to your settings, or say where the key of one is' },
    }),
    use: buildCommand<CommonFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./models.ts')).useModels),
      parameters: { flags: commonFlags, positional: { kind: 'tuple', parameters: [modelArgument] } },
      docs: { brief: 'Make this model the one that chat and run use' },
    }),
    remove: buildCommand<CommonFlags, [string], Cli>({
      loader: loadLazily(async () => (await import('./models.ts')).removeModels),
      parameters: { flags: commonFlags, positional: { kind: 'tuple', parameters: [endpointArgument] } },
      docs: { brief: 'Remove an endpoint from your settings' },
    }),
    test: buildCommand<ModelFlags, [string?], Cli>({
      loader: loadLazily(async () => (await import('./models.ts')).testModels),
      parameters: { flags: waiting, positional: { kind: 'tuple', parameters: [optional(modelArgument)] } },
      docs: { brief: 'Send a model one small request with one tool, and say what works' },
    }),
  },
  docs: { brief: 'Show which models there are; add, choose and test them' },
})
