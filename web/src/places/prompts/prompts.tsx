import { signal } from '@preact/signals'
import type { RouteAnswer } from '../../../../src/client.ts'
import type { PlaceProps } from '../../app.tsx'
import { plural } from '../../parts/amounts.tsx'
import { Empty, Loading } from '../../parts/messages.tsx'
import { OfferList } from '../../parts/offer-list.tsx'
import { Split } from '../../parts/split.tsx'
import { addresses } from '../../state/addresses.ts'
import { useAnswer } from '../../state/answers.ts'
import { usePageTitle } from '../../state/page-title.ts'
import { PromptView } from './prompt-view.tsx'
import '../../style/tools.css'

type Prompt = RouteAnswer<'GET /api/prompts'>['prompts'][number]

const words = signal('')

/** The prompts of all servers, and one of them with its arguments and what it says. */
export function Prompts({ id: ref }: PlaceProps) {
  const answer = useAnswer('GET /api/prompts', {}, { on: ['tools.changed', 'config.changed'] })
  const all = answer.value?.prompts ?? []
  const open = all.find((each) => each.ref === ref)
  usePageTitle(...(ref === undefined ? ['Prompts'] : [open?.name ?? ref, 'Prompts']))
  return (
    <Split
      kind="list"
      list={
        <OfferList
          title="Prompts"
          noun="prompt"
          command="plugboard prompts"
          words={words}
          answer={answer}
          all={all}
          textsOf={({ server, name, title, description }) => [server, name, title, description]}
          keyOf={(prompt) => prompt.ref}
          to={(prompt) => addresses.prompt(prompt.ref)}
          current={ref}
        >
          {(prompt) => <PromptRow prompt={prompt} />}
        </OfferList>
      }
      detail={
        ref === undefined ? undefined : open ? (
          <PromptView key={ref} prompt={open} />
        ) : answer.value ? (
          <Empty title={ref} says="No server offers this prompt now." command="plugboard prompts" />
        ) : (
          <Loading what={ref} />
        )
      }
      placeholder={
        all.length > 0 && (
          <p class="tools-none dim">Choose a prompt: its arguments and its text stand here.</p>
        )
      }
      back={addresses.prompts}
      backLabel="Prompts"
      detailLabel="Prompt"
    />
  )
}

function PromptRow({ prompt }: { readonly prompt: Prompt }) {
  return (
    <>
      <span class="cut mono" title={prompt.description}>
        {prompt.name}
      </span>
      <span class="grow" />
      <span class="dim small">
        {prompt.arguments.length > 0 && plural(prompt.arguments.length, 'argument')}
      </span>
    </>
  )
}
