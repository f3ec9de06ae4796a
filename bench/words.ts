/** The most frequent words of calls, roughly in their order. */
export const commonRussian = words(`
  и в не на я да что вы с это ну как по у мы так а то нет он для есть до меня вам вас все если хорошо можно сейчас
  день добрый заказ доставка номер когда будет спасибо пожалуйста оплата договор компания звоню менеджер завтра сегодня
  цена скидка деньги карта счёт товар склад магазин адрес город улица дом квартира телефон почта сайт время час минута
  вопрос ответ проблема возврат гарантия ремонт мастер услуга тариф интернет подключение оператор клиент покупатель
  ещё моё своё нашёл пришёл всё ёлка вода дверь окно стол стул шкаф кухня мебель размер цвет белый чёрный красный
  купить продать заказать оплатить получить отправить привезти забрать вернуть проверить узнать сказать подождать
  перезвонить работать хотеть мочь знать думать понимать помочь объяснить записать встреча договориться документ подпись
  акт накладная бухгалтерия отдел директор начальник руководитель сотрудник водитель курьер машина дорога груз вес
  коробка упаковка срок дата месяц неделя год утро вечер понедельник вторник среда четверг пятница суббота воскресенье
  банк кредит рассрочка процент сумма рубль остаток платёж чек касса наличные перевод жалоба претензия отказ отмена
  согласие условие предложение акция реклама каталог модель запчасть двигатель масло колесо шина аккумулятор запись`)

export const commonEnglish = words(`
  the to and you i a it is that of in for we on yes okay have can your my with this be are not do what me so will at
  order delivery number when thank please payment contract company calling manager tomorrow today price discount money
  card invoice product warehouse shop address city street house phone mail site time hour minute question answer problem
  refund warranty repair service plan internet connection operator customer buyer buy sell pay get send bring return
  check know say wait call work want think understand help explain write meeting agree document signature accountant
  department director employee driver courier car road cargo weight box package term date month week year morning evening
  monday tuesday wednesday thursday friday saturday sunday bank credit percent amount balance receipt cash transfer
  complaint refusal cancel condition offer advertisement catalogue model part engine oil wheel tyre battery record`)

/** Managers of both alphabets; the first call the most. */
export const managers = cross(
  words('Анна Мария Ольга Елена Ирина Алёна Пётр Иван Сергей Андрей Дмитрий Алексей'),
  words(
    'Ковалёва Шевчук Бондаренко Мельник Ткаченко Кравец Сидоренко Лысенко Савченко Петренко Мороз Жук Король Гончар Зайко Клим',
  ),
).concat(
  cross(
    words('Anna Mary Olivia Helen Irene Peter John Serge Andrew Dmitry'),
    words('Smith Brown Taylor Wilson Evans Thomas Roberts Walker Wright Green'),
  ),
)

function words(text: string): string[] {
  return [...new Set(text.trim().split(/\s+/))]
}

function cross(firsts: string[], lasts: string[]): string[] {
  return lasts.flatMap((last) => firsts.map((first) => `${first} ${last}`))
}
