import { createBoocodeTools } from 'plugboard/boocode'

const { ALL_TOOLS, DEFAULT_TOOLS } = createBoocodeTools()
//- snippet
agents.map(seen)
