"""Numbers, units, and what makes a bound of a number, English and Russian; ordinals in German, too."""

from __future__ import annotations

from realmemory.policies.words import first_of_line, word_set

ORDINALS = first_of_line("""
#1 first 1st erste ersten erstem erster erstes первый первая первое первую первого первому первом первой первым первые
#2 second 2nd zweite zweiten zweitem zweiter zweites второй вторая второе вторую второго второму втором вторым вторые
#3 third 3rd dritte dritten drittem dritter drittes третий третья третье третью третьего третьему третьем третьей третьим
#4 fourth 4th vierte vierten viertem vierter viertes четвертый четвертая четвертое четвертую четвертого четвертому четвертом четвертой четвертым четвертые четвёртый четвёртая четвёртое четвёртую четвёртого четвёртому четвёртом четвёртой четвёртым четвёртые
#5 fifth 5th fünfte fünften fünftem fünfter fünftes пятый пятая пятое пятую пятого пятому пятом пятой пятым пятые
#6 sixth 6th sechste sechsten sechstem sechster sechstes шестой шестая шестое шестую шестого шестому шестом шестым шестые
#7 seventh 7th siebte siebten siebtem siebter siebtes седьмой седьмая седьмое седьмую седьмого седьмому седьмом седьмым седьмые
#8 eighth 8th achte achten achtem achter achtes восьмой восьмая восьмое восьмую восьмого восьмому восьмом восьмым восьмые
#9 ninth 9th neunte neunten neuntem neunter neuntes девятый девятая девятое девятую девятого девятому девятом девятой девятым девятые
#10 tenth 10th zehnte zehnten zehntem zehnter zehntes десятый десятая десятое десятую десятого десятому десятом десятой десятым десятые
""")
"""Ordinals, each with ``#`` and the number that it stands for."""

_CARDINALS = first_of_line("""
0 zero ноль нуля
1 one один одна одно одного одной одну одним
2 two два две двух двумя двое двоих оба обе both
3 three три трех тремя трое троих
4 four четыре четырех четверо четверых
5 five пять пяти пятеро
6 six шесть шести
7 seven семь семи
8 eight восемь восьми
9 nine девять девяти
10 ten десять десяти
11 eleven одиннадцать одиннадцати
12 twelve dozen двенадцать двенадцати дюжина
13 thirteen тринадцать тринадцати
14 fourteen четырнадцать четырнадцати
15 fifteen пятнадцать пятнадцати
16 sixteen шестнадцать шестнадцати
17 seventeen семнадцать семнадцати
18 eighteen восемнадцать восемнадцати
19 nineteen девятнадцать девятнадцати
20 twenty двадцать двадцати
30 thirty тридцать тридцати
40 forty сорок сорока
50 fifty пятьдесят пятидесяти
60 sixty шестьдесят шестидесяти
70 seventy семьдесят семидесяти
80 eighty восемьдесят восьмидесяти
90 ninety девяносто
100 hundred сто ста
1000 thousand тысяча тысячи тысяч
0.5 half половина половины половину
last last последний последняя последнее последнего последней последнюю
""")
NUMBERS = _CARDINALS | ORDINALS
"""Number words."""

AMOUNTS = word_set("few little")
"""With "a" before them they are more than without."""

UNITS = first_of_line("""
second seconds sec s секунда секунды секунд секунду сек
minute minutes min минута минуты минут минуту мин
hour hours hr h час часа часов ч
day days день дня дней дни сутки суток
week weeks неделя недели недель неделю
month months месяц месяца месяцев
year years год года лет году
percent % percents процент процента процентов
pixel pixels px пиксель пикселя пикселей
kb кб килобайт
mb мб мегабайт мегабайта
gb гб гигабайт гигабайта
tb тб терабайт терабайта
kilogram kilograms kg кг килограмм килограмма килограммов
gram grams g грамм грамма граммов
kilometre kilometres kilometer kilometers km км километр километра километров километрах
metre metres meter meters m м метр метра метров метрах
centimetre centimetres centimeter centimeters cm см сантиметр сантиметра сантиметров
degree degrees градус градуса градусов
celsius °c
fahrenheit °f
time times раз раза
""")
"""Units in one spelling; without a number before them they are words like others."""

BOUNDS = first_of_line("""
over above
under below
about around около
up until till до
от
before
by
after после
""")
"""What stands before a number and makes a bound or an estimate of it."""
