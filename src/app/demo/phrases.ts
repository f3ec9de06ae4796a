/** What people of an invented company that sells windows say; {words in braces} are filled in by talk.ts. */
export interface Phrases {
  clients: string[]
  prices: string[]
  days: string[]
  topics: string[]
  greeting: string[]
  introduction: string[]
  timeCheck: string[]
  purpose: string[]
  moment: string[]
  askName: string[]
  tellName: string[]
  needs: [question: string, answers: string[]][]
  whoDecides: string[]
  decides: string[]
  howMuch: string[]
  price: string[]
  noPrice: string[]
  value: string[]
  expensive: string[]
  objectionHandled: string[]
  objectionLeft: string[]
  hesitations: string[]
  refusals: string[]
  interest: string[]
  /** None of them may be taken for an answer to an objection: won deals would seem to have more of these answered. */
  nextStep: string[]
  /** None of them may be taken for a next step. */
  noStep: string[]
  contact: string[]
  giveContact: string[]
  thanks: string[]
  goodbye: string[]
  end: string[]
}

export const ENGLISH: Phrases = {
  clients: ['Peter', 'Laura', 'Thomas', 'Emma', 'Martin', 'Julia', 'Simon', 'Helen', 'Frank', 'Alice'],
  prices: [
    'four hundred',
    'six hundred and fifty',
    'nine hundred',
    'one thousand two hundred',
    'three hundred and eighty',
  ],
  days: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'],
  topics: [
    'windows for a small hotel by the lake, the old ones are draughty',
    'balcony doors for a block of flats that we renovate this year',
    'a roof window above the kitchen, the one we have lets the rain in',
    'new frames for our office, about two floors of it',
    'shutters for the ground floor, the street is very loud at night',
    'glass for a winter garden behind the house',
  ],
  greeting: ['Good afternoon, ', 'Good morning, ', 'Hello, '],
  introduction: ['this is {manager} from Northern Windows.', 'my name is {manager}, export department.'],
  timeCheck: ['Is it a good time to talk for a minute?', 'Do you have a moment, is it a good time?'],
  purpose: [
    'I am calling about the request that you left on our site.',
    'I am calling to talk about the offer we made.',
  ],
  moment: [
    'Yes, go ahead, I have about five minutes before the next meeting.',
    'All right, I am listening, what is it about?',
  ],
  askName: ['May I ask your name?', 'And your name, please?'],
  tellName: ['{client}.', 'Sure, it is {client}, I am the one who looks after the building.'],
  needs: [
    [
      'How many windows are we talking about?',
      ['Eleven, and four of them are quite large.', 'Six on the first floor and two above.'],
    ],
    [
      'What kind of glass do you have there now?',
      ['Single glass, it is from the seventies I think.', 'Double, but it is foggy inside.'],
    ],
    [
      'What is important to you, is it the noise or the warmth?',
      ['The noise, the trams pass right below us.', 'The warmth, the bills were terrible last winter.'],
    ],
    [
      'Where is the house, is it in the old town?',
      ['Yes, on the corner by the bridge.', 'No, it is about twenty kilometres outside.'],
    ],
    [
      'Which colour are the frames to be?',
      ['White inside and dark grey outside.', 'Something like oak, it should fit the doors.'],
    ],
  ],
  whoDecides: ['Who else decides about this besides you?', 'Is it you who makes the decision, or somebody else, too?'],
  decides: ['My partner and I do, we look at it together.', 'I do, there is nobody else to ask.'],
  howMuch: ['And how much is it for one window, roughly?', 'How much would all of that be?'],
  price: ['The price is about {price} euro for one with the fitting.', 'It costs {price} euro each at this size.'],
  noPrice: ['That is hard to say from here.', 'It depends on many things, really.'],
  value: [
    'The guarantee is ten years, and the fitting is part of it.',
    'You get triple glass, so you will hear next to nothing of the street.',
    'It includes the removal of the old frames, and it lasts for decades.',
  ],
  expensive: ['That is expensive, we were told much less elsewhere.', 'Hm, that is a bit much for us.'],
  objectionHandled: [
    'Let me explain: the reason is the fitting, which others add later. And for six or more there is a discount.',
    'I understand. However, we can compare it line by line, because ours has the sills in it.',
  ],
  objectionLeft: ['Well, that is how it is with us.', 'Yes, many people say that.'],
  hesitations: [
    'It is too expensive for us, I am afraid.',
    'I need to think about it for a while.',
    'I have to ask my family first.',
    'Not now, perhaps when the roof is finished.',
  ],
  refusals: [
    'We have no budget for it this season.',
    'To be honest, we chose another company last week.',
    'Eight weeks is too long, it does not suit us.',
    'I have changed my mind about the whole thing.',
  ],
  interest: [
    'That sounds reasonable to me.',
    'Good, that is about what we had in mind.',
    'I like that, my partner will too.',
  ],
  nextStep: [
    'Then I put you down for a visit on {day} at ten.',
    'So we speak again on {day} after lunch.',
    'Then we meet on {day} at ten at your place.',
  ],
  noStep: ['All right, then you know where to find us.', 'Fine, thank you for telling me all of that.'],
  contact: ['Which email address may I use?', 'Is this number a good number to reach you?'],
  giveContact: ['Yes, this one is fine, I always have it with me.', 'Use the one from the request, please.'],
  thanks: ['Thank you, that was helpful.', 'Okay, thanks for the explanation.'],
  goodbye: ['Thank you very much, goodbye.', 'Have a nice day, goodbye.'],
  end: ['Okay then.', 'Right, that is all from me.'],
}

export const RUSSIAN: Phrases = {
  clients: ['Пётр', 'Людмила', 'Андрей', 'Светлана', 'Николай', 'Татьяна', 'Павел', 'Галина', 'Виктор', 'Юлия'],
  prices: ['четыреста', 'шестьсот пятьдесят', 'девятьсот', 'тысяча двести', 'триста восемьдесят'],
  days: ['понедельник', 'вторник', 'среду', 'четверг', 'пятницу'],
  topics: [
    'окна в двухкомнатную квартиру, старые совсем рассохлись и дует',
    'остекление балкона на пятом этаже, там сейчас деревянные рамы',
    'входную дверь в частный дом, чтобы не промерзала зимой',
    'мансардное окно, наше протекает при каждом дожде',
    'рольставни на первый этаж, окна выходят прямо на улицу',
    'ремонт двух окон, ручки не закрываются и стекло треснуло',
  ],
  greeting: ['Добрый день, ', 'Здравствуйте, '],
  introduction: ['меня зовут {manager}, компания Северные окна.', 'Северные окна, меня зовут {manager}.'],
  timeCheck: ['Вам удобно говорить?', 'Вам сейчас удобно разговаривать?'],
  purpose: ['Звоню по поводу заявки, которую вы оставляли на сайте.', 'Звоню насчёт расчёта, о котором мы говорили.'],
  moment: ['Да, слушаю вас, минут пять у меня есть.', 'Хорошо, говорите, я как раз еду с работы.'],
  askName: ['Как к вам можно обращаться?', 'Подскажите ваше имя, пожалуйста.'],
  tellName: ['{client}.', '{client}, мы сюда недавно переехали.'],
  needs: [
    [
      'Сколько окон вы хотите заменить?',
      ['Три, и одно из них с балконной дверью.', 'Пять, но два совсем маленькие, на кухне и в ванной.'],
    ],
    [
      'Какой у вас дом, панельный или кирпичный?',
      ['Панельный, девятый этаж, ветер постоянно.', 'Кирпичный, ещё довоенный, стены толстые.'],
    ],
    [
      'Что для вас важно, тишина или тепло?',
      ['Тишина, под окнами трамвай ходит до ночи.', 'Тепло, прошлой зимой совсем замёрзли.'],
    ],
    [
      'Когда планируете ставить?',
      ['До холодов хотелось бы, в октябре самое позднее.', 'Как только закончим с полами, недели через три.'],
    ],
    [
      'Скажите, какие окна у вас сейчас?',
      ['Деревянные, их ещё родители красили.', 'Пластиковые, но самые дешёвые, от застройщика.'],
    ],
  ],
  whoDecides: ['А кроме вас кто ещё принимает решение?', 'Решение принимаете вы или кто-то ещё?'],
  decides: ['Мы с женой вместе смотрим.', 'Я сама, больше никого спрашивать не надо.'],
  howMuch: ['А сколько это будет стоить примерно?', 'И сколько стоит одно такое окно?'],
  price: ['Стоимость около {price} рублей с установкой.', 'Такое окно обойдётся вам в {price} рублей.'],
  noPrice: ['Ну это так сразу не скажешь.', 'По-разному бывает, надо смотреть.'],
  value: [
    'Гарантия десять лет, и подоконник уже включён.',
    'Стеклопакет тройной, поэтому вы улицу почти не услышите, и в комнате станет теплее.',
    'Старые рамы вывезем бесплатно, мастера всё уберут сами.',
  ],
  expensive: ['Дорого, нам в другом месте меньше насчитали.', 'Что-то дороговато выходит.'],
  objectionHandled: [
    'Понимаю вас. Давайте сравним: у нас установка уже учтена, зато потом ничего не добавится.',
    'Могу предложить рассрочку на полгода, и при этом действует скидка на три окна.',
  ],
  objectionLeft: ['Ну, так у нас заведено.', 'Многие так говорят.'],
  hesitations: [
    'Нет, для нас это дорого.',
    'Я подумаю, не хочу торопиться.',
    'Надо посоветоваться дома, одному такое не решить.',
    'Не сейчас, может быть весной.',
  ],
  refusals: [
    'На это нет бюджета, честно говоря.',
    'Мы уже выбрали, заказали у знакомых.',
    'Шесть недель это слишком долго, не подходит нам.',
    'Честно говоря, мы передумали.',
  ],
  interest: ['Звучит разумно, мне нравится.', 'Хорошо, примерно так мы и рассчитывали.', 'Отлично, это нам подходит.'],
  nextStep: [
    'Тогда записываю вас на замер в {day}, мастер придёт утром.',
    'Хорошо, ставлю вам замер на {day}, на утро.',
    'Значит, встречаемся в {day} в десять.',
  ],
  noStep: ['Понятно, хорошо.', 'Понятно, спасибо вам.'],
  contact: ['Этот номер телефона верный, можно на него писать?', 'Продиктуйте, пожалуйста, ваш адрес.'],
  giveContact: ['Да, верный, он всегда со мной.', 'Улица Садовая, дом четырнадцать, второй подъезд.'],
  thanks: ['Спасибо, теперь понятно.', 'Хорошо, спасибо большое.'],
  goodbye: ['Всего доброго, до свидания.', 'Хорошего дня, до свидания.'],
  end: ['Ну ладно.', 'Ага, всё тогда.'],
}
