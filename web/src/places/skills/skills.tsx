import { signal } from '@preact/signals'
import type { RouteAnswer } from '../../../../src/client.ts'
import type { PlaceProps } from '../../app.tsx'
import { sizeText } from '../../parts/amounts.tsx'
import { Empty, ErrorLine, Loading } from '../../parts/messages.tsx'
import { OfferList } from '../../parts/offer-list.tsx'
import { Split } from '../../parts/split.tsx'
import { addresses } from '../../state/addresses.ts'
import { useAnswer } from '../../state/answers.ts'
import { usePageTitle } from '../../state/page-title.ts'
import { SkillView } from './skill-view.tsx'
import '../../style/tools.css'

type Skill = RouteAnswer<'GET /api/skills'>['skills'][number]

const words = signal('')

/** The skills of all servers, and one of them with its files. */
export function Skills({ id: ref, query }: PlaceProps) {
  const answer = useAnswer(
    'GET /api/skills',
    {},
    { on: ['tools.changed', 'config.changed', 'server.changed'] },
  )
  const { skills: all = [], problems = [] } = answer.value ?? {}
  const open = all.find((each) => each.ref === ref)
  usePageTitle(...(ref === undefined ? ['Skills'] : [open?.name ?? ref, 'Skills']))
  return (
    <Split
      kind="list"
      list={
        <>
          <OfferList
            title="Skills"
            noun="skill"
            command="plugboard skills"
            words={words}
            answer={answer}
            all={all}
            textsOf={({ server, name, description }) => [server, name, description]}
            keyOf={(skill) => skill.ref}
            to={(skill) => addresses.skill(skill.ref)}
            current={ref}
          >
            {(skill) => <SkillRow skill={skill} />}
          </OfferList>
          {problems.map((message) => (
            <ErrorLine key={message} error={{ message }} />
          ))}
        </>
      }
      detail={
        ref === undefined ? undefined : open ? (
          <SkillView key={ref} skill={open} file={query['file']} />
        ) : answer.value ? (
          <Empty title={ref} says="No server offers this skill now." command="plugboard skills" />
        ) : (
          <Loading what={ref} />
        )
      }
      placeholder={all.length > 0 && <p class="tools-none dim">Choose a skill: its files stand here.</p>}
      back={addresses.skills}
      backLabel="Skills"
      detailLabel="Skill"
    />
  )
}

function SkillRow({ skill: { name, description, held, bytes } }: { readonly skill: Skill }) {
  return (
    <>
      <span class="cut mono" title={description}>
        {name}
      </span>
      <span class="grow" />
      {held === undefined ? <span class="dim small">{sizeText(bytes)}</span> : <span class="mark">held</span>}
    </>
  )
}
