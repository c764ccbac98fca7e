//! Function words of the languages that are told apart, in folded spelling.
//!
//! They carry grammar and no subject: a question made of them alone has no answer. The lists
//! also tell the language of a text.

/// English, with the question words, auxiliaries and contractions of queries. "Down" and "off" are none:
/// what is down or off is asked for by them.
pub const ENGLISH: &str = "a about above after again against all also am an and any are arent as \
at be because been before being below between both but by can cannot cant could couldnt did didnt \
do does doesnt doing dont done during each either else ever every few for from further get \
gets got had hadnt has hasnt have havent having he her here heres hers herself him himself his \
how hows i if im in into is isnt it its itself ive just let lets like may me might more most much \
must my myself neither no nor not of on once one only or other others ought our ours \
ourselves out over own per please really same shall shant she should shouldnt since so some such \
than that thats the their theirs them themselves then there theres these they theyre this those \
though through thus to too under until up upon us very was wasnt we were werent what whatever \
whats when where whether which while who whom whose why will with within without wont would \
wouldnt yet you your youre yours yourself yourselves";

/// Russian; `е` stands for `ё`.
pub const RUSSIAN: &str = "а без безо более больше будем будет будете будешь буду будут будто бы \
был была были было быть в вам вами вас ваш ваша ваше вашего вашей вашем вашему вашим вашими ваших \
вашу вдруг ведь весь во вот впрочем все всегда всего всей всем всеми всему всех всю вы где да \
даже для до его ее ей ему если есть еще ж же за зачем здесь и из изо или им ими иногда их к как \
какая каким какими каких какого какое какой каком какому какую какие когда кого ком кому конечно \
которая которого которое которой котором которому которую которые который которым которыми \
которых кто куда ли либо лишь лучше между меня мне много мной мог могла могли может можно мои \
моего моей моем моему моя мою мое мой моим моими моих мы на над надо наконец нам нами нас наш \
наша наше нашего нашей нашем нашему нашим нашими наших нашу не него нее ней нельзя нем нему \
несколько нет неужели ни нибудь никогда ним ними них ничего но ну о об обо один одна одно однако \
он она они оно от ото очень перед по под пока после потом потому почему почти при про раз разве с \
сам сама само самого самой самом самому сами самим самих саму свое своего своей своем своему \
своим своими своих свой свою своя свои себе себя со собой совсем так также такая такие такого \
такое такой там твой твоя твое твои тебе тебя тем теми теперь то тобой тогда того тоже той только \
том тому тот ту тут ты у уж уже хорошо хоть хотя чего чей чем чему через что чтоб чтобы чуть чья \
эта эти этим этими этих это этого этой этом этому этот эту является являются";

/// German; umlauts and sharp s are folded.
pub const GERMAN: &str = "aber alle allem allen aller alles als also am an andere anderem anderen \
anderer anderes ans auch auf aus bei beim bin bis bist da dabei dafur damit dann das dass dein \
deine deinem deinen deiner dem den denn der des dessen deren dich die dies diese diesem diesen \
dieser dieses dir doch dort du durch ein eine einem einen einer eines einige er es etwas euch \
euer eure fur gegen gibt hab habe haben hat hatte hatten hattest hier hin hinter ich ihm ihn \
ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jetzt kann \
kannst kein keine keinem keinen keiner konnen konnte machen man manche mein meine meinem meinen \
meiner mich mir mit muss mussen nach nicht nichts noch nun nur ob oder ohne sehr sein seine \
seinem seinen seiner seit sich sie sind so solche soll sollte sondern sonst sowie um und uns \
unser unsere unserem unseren unter viel vom von vor war waren warst warum was weg weil weiter \
welche welchem welchen welcher welches wenn wer werde werden wessen wie wieder will wir wird \
wirst wo wollen wollte wurde wurden zu zum zur zwar zwischen uber";

/// French; elided articles are cut off before the look-up.
pub const FRENCH: &str = "ai aie ainsi alors apres as au aucun aucune aussi autre autres aux \
avant avec avez avoir avons ayant ca car ce ceci cela celle celles celui ces cet cette ceux \
chaque chez comme comment dans de depuis des donc dont du elle elles en entre es est et etaient \
etait etant ete etes etre eu eux fait faire font fut il ils je jusque la laquelle le lequel les \
lesquels leur leurs lors lorsque lui ma mais me mes moi moins mon ne ni nos notre nous on ont ou \
par parce pas pendant peu peut peuvent plus pour pourquoi quand que quel quelle quelles quels qui \
quoi sa sans se sera ses si sinon soi soit sommes son sont sous suis sur ta tandis te tes toi ton \
tous tout toute toutes tres tu un une va vers via voici voila vos votre vous y";

/// Spanish.
pub const SPANISH: &str = "a al algo algunas algunos ante antes aqui asi aun aunque cada como con \
contra cual cuales cuando cuanto de del desde donde dos durante e el ella ellas ello ellos en \
entre era eran eres es esa esas ese eso esos esta estaba estado estamos estan estar estas este \
esto estos estoy fue fueron fui ha habia han has hasta hay haya he hemos la las le les lo los mas \
me mi mia mis mucho muchos muy nada ni no nos nosotros nuestra nuestro o os otra otras otro otros \
para pero poco por porque pues que quien quienes se sea ser si sido siempre sin sino sobre somos \
son soy su sus suya suyo tambien tampoco tan tanto te tengo tenia ti tiene tienen todo todos tu \
tus un una unas uno unos usted ustedes y ya yo";

/// Portuguese.
pub const PORTUGUESE: &str = "a ao aos aquela aquele aqueles aquilo as ate com como da das de \
dela dele deles depois do dos e ela elas ele eles em entao entre era eram essa essas esse esses \
esta estamos estao estar estas estava este estes estou eu foi foram ha isso isto ja la lhe lhes \
mais mas me mesmo meu meus minha minhas muito muitos na nao nas nem nenhum no nos nossa nosso num \
numa o onde os ou para pela pelas pelo pelos pode por porque quais qual quando que quem sao se \
seja sem ser sera seu seus so sobre sua suas tambem te tem tenho ter teu teve tinha todo todos tu \
tua um uma umas uns voce voces";

/// Italian; elided articles are cut off before the look-up.
pub const ITALIAN: &str = "a abbiamo ad agli ai al alla alle allo anche ancora avere aveva che \
chi ci cio coi col come con contro cosa cosi cui da dagli dai dal dalla dalle dallo degli dei del \
della delle dello dentro di dopo dove e ed era erano essere fa fra gli ha hai hanno ho i il in io \
la le lei li lo loro lui ma me mi mia mie mio molto ne negli nei nel nella nelle nello noi non \
nostra nostro o ogni ora per perche pero piu poi puo quale quali quando quanto quella quelle \
quelli quello questa queste questi questo qui se sei si sia sono sopra sotto sta stata stato su \
sua sue sugli sui sul sulla sulle sullo suo suoi tra tu tua tue tuo tutti tutto un una uno vi voi";

/// Function words of other languages that are words, names or acronyms in English: one alone tells
/// no language. The same holds for all of one or two letters.
pub const AMBIGUOUS: &str = "algo als ante bin car ces come comment con contra cosa dal das dei \
del den des die dies dos dove elle entre era fait fare fra fur han hat hay hin ils ins ist las \
leur los main man mas mes mia mis mit mon nada noi nos ora par pas pendant per plus por pour qui \
sans sao sea ser ses sin sino sole solo son sono sous sta sue sul sur tan todo ton tout una uno uns \
vers via viel war weg wie";

/// Function words whose capitals mean something else in a text that is not all capitals.
pub const ACRONYMS: &str = "am as can do it may me so us who will";
